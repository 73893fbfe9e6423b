package readback

import (
	"slices"

	"anond/equivclass/query"
	"anond/snapshot"
)

// form is how the files of a recoding are read and asked.
type form struct {
	load      func(*Release) error
	estimator func(*Release) query.Estimator
}

// formOf returns the form of the recoding that a manifest names.
func formOf(m *snapshot.Manifest) (form, bool) {
	if m.Shared() {
		f, ok := map[string]form{
			snapshot.NameBuckets:     {(*Release).loadShared, (*Release).sharedEstimator},
			snapshot.NameAnatomy:     {(*Release).loadSharedExact, (*Release).anatomyEstimator},
			snapshot.NamePermutation: {(*Release).loadShared, (*Release).sharedEstimator},
		}[m.Recoding]
		return f, ok
	}
	f, ok := map[string]form{
		snapshot.NameGeneralization: {(*Release).loadCells, (*Release).cellEstimator},
		snapshot.NameAnatomy:        {(*Release).loadAnatomy, (*Release).anatomyEstimator},
		snapshot.NamePermutation:    {(*Release).loadPermutation, (*Release).permutationEstimator},
	}[m.Recoding]
	return f, ok
}

func (r *Release) loadAnatomy() error     { return r.loadExact("qit.csv", "st.csv", true) }
func (r *Release) loadPermutation() error { return r.loadExact("pqt.csv", "pst.csv", false) }

func (r *Release) anatomyEstimator() query.Estimator {
	d := len(r.Dicts) - 1
	return r.blocks(query.AnatomyBlocks(d+1, d))
}

func (r *Release) permutationEstimator() query.Estimator {
	return r.blocks(query.SingleBlocks(len(r.Dicts)))
}

// blocks answers from exact columns, of which those of a block are joined as they
// were in the records.
func (r *Release) blocks(blocks [][]int) query.Estimator {
	columns := append(slices.Clip(r.QI), r.SA)
	return &query.BlockRelease{Dicts: r.Dicts, Codes: columns, Start: r.ValueGroups(), Blocks: blocks}
}
