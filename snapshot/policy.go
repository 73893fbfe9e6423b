package snapshot

// Policy is the manifest's policy block.
type Policy struct {
	K             int         `json:"k"`
	L             int         `json:"l"`
	Diversity     []Diversity `json:"diversity"`
	Republication string      `json:"republication"`
	MaxRegroups   int         `json:"max_regroups"` // negative: no bound
	SubjectRepeat string      `json:"subject_repeat,omitempty"`
	Level         string      `json:"level,omitempty"`    // policyL2, or empty; it is that of the input
	MinPool       int         `json:"min_pool,omitempty"` // level L2: least number of records of a pool, if one is set
}

// PolicyL2 is how a manifest writes level L2.
const PolicyL2 = "L2"

// Diversity is a further principle in the manifest, such as
// {"kind":"recursive","l":3,"c":2}. t-closeness names its ground distance and
// the distribution that it compares with: declared, or the values of release 1.
type Diversity struct {
	Kind      string       `json:"kind"`
	L         float64      `json:"l,omitempty"`
	C         float64      `json:"c,omitempty"`
	T         float64      `json:"t,omitempty"`
	Distance  string       `json:"distance,omitempty"`
	Declared  bool         `json:"declared,omitempty"`
	Reference []ValueCount `json:"reference,omitempty"`
}

// ValueCount is a value of a reference distribution, with its weight.
type ValueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}
