package anonymize

import "slices"

// classSizes describes the classes of a release.
type classSizes struct {
	Count  int     `json:"count"`
	Min    int     `json:"min"`
	Median int     `json:"median"`
	Mean   float64 `json:"mean"`
	Max    int     `json:"max"`
}

func sizesOf(sizes []int) classSizes {
	if len(sizes) == 0 {
		return classSizes{}
	}
	sorted := slices.Clone(sizes)
	slices.Sort(sorted)
	sum := 0
	for _, s := range sorted {
		sum += s
	}
	return classSizes{Count: len(sorted), Min: sorted[0], Median: sorted[len(sorted)/2], Mean: float64(sum) / float64(len(sorted)),
		Max: sorted[len(sorted)-1]}
}
