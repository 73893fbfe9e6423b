package wang

import (
	"anond/equivclass"
	"anond/lab/literal"
	"anond/lab/topdown"
)

// reading is one way to take section IV of the paper, which leaves open which
// classes an update partitions anew. One against the paper's words is a variant:
// it is shown, and decides nothing.
type reading struct {
	name    string // of its series
	params  literal.Params
	against string
}

// everyClass makes all classes candidates (eq. 11).
const everyClass = -1

// ours is what our choice of neighbours is against: of the 32 nearest classes
// those that share d-1 dimensions.
const ours = "eq. 10 and 11 (ours)"

var (
	nearest8 = reading{"nearest, topN 8", literal.Params{Similar: 8}, ours}
	nearest1 = reading{"nearest, topN 1", literal.Params{Similar: 1}, ours}
	exists8  = reading{"exists j, topN 8", literal.Params{Neighbours: everyClass, NeighbourDims: 1, Similar: 8}, ""}
	exists1  = reading{"exists j, topN 1", literal.Params{Neighbours: everyClass, NeighbourDims: 1, Similar: 1}, ""}
	everyJ   = reading{"every j, topN 8", literal.Params{Neighbours: everyClass, NeighbourDims: fixedD, Similar: 8}, "eq. 10"}
	byClass  = reading{"two feature points, topN 8", literal.Params{ByClass: true, Similar: 8}, ours}
	global   = reading{"global outside of classes", literal.Params{GlobalWithoutClass: true, Similar: 1}, ""}
)

// readings are all of them, that of panels a to d first.
var readings = []reading{nearest8, nearest1, exists8, exists1, everyJ, byClass, global}

// aboutReadings says what each choice is, with the paper's words.
var aboutReadings = []string{
	`What section IV leaves open, and what we take in panels a to d. topN: "get the topN similar ones as the similar sets" (IV.E) gives no ` +
		`number; ours is 8. Candidates: by eq. 11 every class "E_X in R" is one; ours are the 32 nearest classes. Dimensions: eq. 10 asks ` +
		`for overlap where "exists j in [1,d]"; ours asks for d-1 dimensions. What eq. 15 compares: "x and y are respectively the feature ` +
		`point in E_X and E_Y", but "the similarity between the feature point in neighbor matrix and the new tuple" below it; ours is the ` +
		`latter.`,
	`A record outside of every class: "If there are still some multi-dimension points which have no corresponding equivalence class, the ` +
		`update should be global" (IV.B); the algorithm (IV.F) asks "If(newPointSet.get(i) out of reg)" only, and does not say where a ` +
		`record inside reg but in no class belongs. Ours: the nearest box takes it, and reg is the box of all classes together.`,
	`Panels e to m. "exists j": all classes are candidates, and one dimension suffices. "global outside of classes": the sentence of ` +
		`IV.B, topN 1. Against the paper's words, so that they decide nothing: "nearest" is ours, with the topN named; "every j" takes all ` +
		`classes as candidates and asks for every dimension; "two feature points" is ours with eq. 15 as printed, so that a class brings in ` +
		`similar sets once.`,
	`How many new records an update takes is open, too: "When the times of data update is above the threshold [k-1], the incremental ` +
		`update for the dataset is carried out" (IV.A) is an update for every k records; section V.D says only "20 percent of them used as ` +
		`incremental data".`,
	`Close-k with "n^2/k" runs section III step by step and scans all records left for each class. "stored counts" is ours: the same ` +
		`classes in n log^2 n. The paper states no cost.`,
}

// update returns the incremental update under the reading.
func (r reading) update(by equivclass.Partitioner) update {
	return update{name: r.name, method: literal.Local, by: by, params: r.params}
}

// cost is close-k in one of two implementations, which make the same classes.
type cost struct {
	name string
	by   equivclass.Partitioner
}

var (
	stored = cost{"stored counts", topdown.WangCloseK{}}
	plain  = cost{"n^2/k", topdown.WangCloseK{Plain: true}}
)

// batch is how many new records an update takes.
type batch struct {
	name string
	of   func(g growth, k int) int
}

var (
	everyK     = batch{"every k records", func(_ growth, k int) int { return k }}
	onePercent = batch{"batches of 1 %", func(g growth, _ int) int { return g.permille(smallBatch) }}
	atOnce     = batch{"all at once", func(g growth, _ int) int { return g.permille(newShare) }}
)

// setting is what the time of an update depends on.
type setting struct {
	batch
	cost
	reading
}

// times is the name of the setting's series where the batch is in the title.
func (s setting) times() string { return s.cost.name + ", " + s.reading.name }

// reach is the name of its series where the cost does not matter.
func (s setting) reach() string { return s.batch.name + ", " + s.reading.name }

// words names the setting.
func (s setting) words() string {
	return s.batch.name + ", close-k with " + s.cost.name + ", " + s.reading.name
}
