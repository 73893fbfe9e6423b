package source

import "anond/snapshot"

// Held is what a copy of a table has of a part.
type Held struct {
	Label string
	Rows  int64
}

// Left is the oldest release whose births are in parts that left (rule W, what may leave), 0 if none did: a part is not there any
// more, or one with fewer rows takes its place. Each release from that one on had rows of them. Level L2: at level L1 nothing
// leaves, and rows of classes that died are in earlier releases for good.
func (r *Release) Left(before, now []Held) (oldest uint32) {
	if !r.Manifest.Shared() {
		return 0
	}
	for _, was := range before {
		first, last := births(was.Label)
		rows, rest := int64(0), int64(0)
		for _, is := range now {
			from, to := births(is.Label)
			if first < from || last > to {
				continue
			}
			rows = is.Rows
			for _, other := range before {
				if a, b := births(other.Label); a >= from && b <= to {
					rest += other.Rows
				}
			}
		}
		if (rest == 0 || rows < rest) && (oldest == 0 || first < oldest) {
			oldest = first
		}
	}
	return oldest
}

func births(label string) (first, last uint32) { return (&snapshot.PartEntry{Part: label}).Births() }
