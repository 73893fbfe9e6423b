// Package testdata embeds the public datasets that tests, experiments and the
// papers' figures use.
//
// Guarantee: the project needs no data files from elsewhere, and every build of one
// commit has the same data.
//
// Cost: about 1 MB in the binary; Rows decompresses and parses the whole dataset.
//
// Source: README.md names the source and the licence of each dataset. Do not try to
// re-identify anyone in them.
package testdata

import (
	"compress/gzip"
	"embed"
	"encoding/csv"
	"fmt"
)

// Files has all datasets: adult.csv.gz, acs-national2019.csv.gz and
// hierarchies/adult_hierarchy_*.csv.
//
//go:embed adult.csv.gz acs-national2019.csv.gz hierarchies/*.csv
var Files embed.FS

// The names of the datasets in Files.
const (
	Adult = "adult.csv.gz"            // 45,222 rows; the first 30,162 are the training part
	ACS   = "acs-national2019.csv.gz" // 27,253 rows
)

// AdultHierarchy names the hierarchy of an attribute of Adult in Files.
func AdultHierarchy(attribute string) string {
	return "hierarchies/adult_hierarchy_" + attribute + ".csv"
}

// Rows returns the header and the rows of a dataset.
func Rows(name string) (header []string, rows [][]string, err error) {
	f, err := Files.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	all, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return all[0], all[1:], nil
}
