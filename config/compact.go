package config

// Compact is the block `state.compact`: when a start rewrites the state without the part
// of its file that holds nothing.
type Compact struct {
	MinFree  int64   // bytes; 0: never
	MinShare float64 // of the file
}

func (c *Compact) keys() []key {
	return []key{
		{path: "state.compact.min_free", value: bytesSize(&c.MinFree), def: "64MiB",
			doc: "A start rewrites the state without its free pages if more than this holds nothing. It needs room on the disk for what is not " +
				"free, and time for reading the state twice. 0: never; `anond state compact` does it at any time."},
		{path: "state.compact.min_share", value: part(&c.MinShare), def: "0.5",
			doc: "And if more than this share of the file holds nothing, 0 to 1."},
	}
}

// part is a number from 0 to 1.
func part(to *float64) value {
	return scalar[float64]{to: to, name: "number", tags: []string{"!!int", "!!float"},
		form: object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, parse: parsePart}
}

func parsePart(s string) (float64, error) {
	v, err := finite(s)
	if err == nil && (v < 0 || v > 1) {
		err = complain("is no part of a whole", "write a number from 0 to 1")
	}
	return v, err
}
