package audit

import (
	"cmp"
	"slices"
)

// Violation is one way in which a chain breaks its contract. Equal findings of
// one release are gathered into one violation with a count; Class is then the
// first one found. Detail never holds a record's value (rule V).
type Violation struct {
	Rule      string `json:"rule"`                // label of docs/THREAT_MODEL.md: A, P, C, D, E, S, N, SA, K, L, T, files, chain, order, microdata, claim
	Kind      string `json:"kind"`                // stable name, see the Kind constants
	Release   int    `json:"release"`             // 0 when not tied to one release
	Class     int    `json:"class,omitempty"`     // 0 when not tied to one class
	Attribute string `json:"attribute,omitempty"` // schema name or manifest field
	Detail    string `json:"detail"`
	Count     int    `json:"count"`
}

// Kinds of violations.
const (
	KindHashMismatch      = "hash_mismatch"
	KindSizeMismatch      = "size_mismatch"
	KindRowsMismatch      = "rows_mismatch"
	KindUnexpectedFile    = "unexpected_file"
	KindExtraColumn       = "extra_column"
	KindReleaseMissing    = "release_missing"
	KindReleaseNumber     = "release_number"
	KindChainBroken       = "chain_broken"
	KindCurrentMismatch   = "current_mismatch"
	KindLedgerAhead       = "ledger_ahead"
	KindLedgerBehind      = "ledger_behind"
	KindLedgerMismatch    = "ledger_mismatch"
	KindContractChanged   = "contract_changed"
	KindHierarchyMismatch = "hierarchy_mismatch"
	KindCountMismatch     = "count_mismatch"

	KindClassBelowK  = "class_below_k"
	KindValueAboveL  = "value_above_l"
	KindPrinciple    = "principle_violated"
	KindClassNumbers = "class_numbering"
	KindClassOrder   = "class_order"
	KindRowOrder     = "row_order"
	KindMixedCells   = "class_cells_differ"

	KindMemberOutside   = "member_outside_cell"
	KindCellNotTight    = "cell_not_tight"
	KindBagMismatch     = "bag_mismatch"
	KindRowsNotMembers  = "rows_not_members"
	KindMembersMismatch = "members_mismatch"
	KindSubjectRepeated = "subject_repeated_in_class"
	KindSubjectTwice    = "subject_published_twice"
	KindSubjectSplit    = "subject_signature_differs"
	KindBeforeArrival   = "published_before_arrival"
	KindBeforeValue     = "member_before_value"

	KindClassResplit       = "class_resplit"
	KindClassMerged        = "class_merged"
	KindClassGrown         = "class_grown"
	KindLoneNewcomer       = "lone_newcomer"
	KindFrozenBagChanged   = "frozen_bag_changed"
	KindFrozenCellsChanged = "frozen_cells_changed"
	KindFrozenVanished     = "frozen_class_vanished"
	KindSignaturesMixed    = "signatures_mixed"
	KindUnequalCounts      = "unequal_counts"
	KindSignatureShrank    = "signature_shrank"
	KindDifference         = "difference_exceeded"
	KindRecordGone         = "record_disappeared"
	KindRowsRemoved        = "rows_removed"
	KindBudget             = "budget_exceeded"
	KindBucketSize         = "bucket_size_differs"
	KindBucketValue        = "bucket_value_not_single"
	KindBucketNumbers      = "bucket_numbering"
	KindBucketOrder        = "bucket_order"
	KindBucketAboveL       = "bucket_above_l"
	KindBucketAboveT       = "bucket_above_t"
	KindBucketSplitsClass  = "bucket_splits_class"
	KindBucketCrosses      = "bucket_crosses_classes"
	KindReference          = "reference_mismatch"
	KindMixedFlags         = "flags_mixed_in_class"
	KindFlagGeneralized    = "flagged_value_generalized"
	KindFlagMissing        = "unflagged_value_bucketed"
	KindBucketMismatch     = "bucket_mismatch"
	KindBucketChanged      = "bucket_changed"
	KindBucketRowsMoved    = "bucket_rows_moved"
	KindBucketGrown        = "bucket_grown"
	KindNotShuffled        = "slices_not_shuffled"
	KindSliceShape         = "slices_malformed"
	KindSliceMixed         = "slice_joins_sensitive"
	KindAcrossNone         = "across_releases_none"

	KindPosterior        = "posterior_exceeded"
	KindCertificateFalse = "certificate_false"
	KindClaimFalse       = "claim_false"
)

// faults gathers violations, one entry per rule, kind, release and attribute.
type faults struct {
	list []Violation
	at   map[faultKey]int
}

type faultKey struct {
	kind, attribute string
	release         int
}

func (f *faults) add(rule, kind string, release, class int, attribute, detail string) {
	f.addN(rule, kind, release, class, attribute, detail, 1)
}

func (f *faults) addN(rule, kind string, release, class int, attribute, detail string, n int) {
	if n == 0 {
		return
	}
	key := faultKey{kind, attribute, release}
	if i, ok := f.at[key]; ok {
		f.list[i].Count += n
		return
	}
	if f.at == nil {
		f.at = map[faultKey]int{}
	}
	f.at[key] = len(f.list)
	f.list = append(f.list, Violation{rule, kind, release, class, attribute, detail, n})
}

func (f *faults) sorted() []Violation {
	slices.SortStableFunc(f.list, func(a, b Violation) int { return cmp.Compare(a.Release, b.Release) })
	return f.list
}
