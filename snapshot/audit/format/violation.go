package format

import (
	"cmp"
	"fmt"
	"slices"
)

// Violation is one way in which a chain breaks its contract. Equal findings of
// one release are gathered into one violation with a count; Class is then the
// first one found. Detail never holds a record's value (rule V, values).
type Violation struct {
	// Rule is a label of docs/PROOFS.md (A, B, P, D, E, S, N, F, SA), a principle
	// of a class (K, L, T), or what is wrong: files, chain, order, microdata, claim.
	Rule      string `json:"rule"`
	Kind      string `json:"kind"`                // stable name, see the Kind constants
	Shard     *int   `json:"shard,omitempty"`     // of a union: found in the chain of this shard, or about it
	Release   int    `json:"release"`             // 0 when not tied to one release
	Part      string `json:"part,omitempty"`      // of a release in parts: where Class is counted
	Class     int    `json:"class,omitempty"`     // 0 when not tied to one class
	Attribute string `json:"attribute,omitempty"` // schema name or manifest field
	Detail    string `json:"detail"`
	Count     int    `json:"count"`
	View      string `json:"view,omitempty"` // found in the chain of this view, or about it
}

// Place names where it was found: release, part and class, as far as it has them.
func (v *Violation) Place() string {
	out := fmt.Sprintf("release %d", v.Release)
	if v.Shard != nil {
		out = fmt.Sprintf("shard %d, release %d", *v.Shard, v.Release)
	}
	if v.View != "" {
		out = fmt.Sprintf("view %s, release %d", v.View, v.Release)
	}
	if v.Part != "" {
		out += ", " + v.Part
	}
	if v.Class > 0 {
		out += fmt.Sprintf(", class %d", v.Class)
	}
	return out
}

// Summary is what is said of violations in one line; nil: there are none.
func Summary(found []Violation) error {
	if len(found) == 0 {
		return nil
	}
	v := &found[0]
	return fmt.Errorf("%d violations, the first of rule %s: %s (%s)", len(found), v.Rule, v.Detail, v.Place())
}

// Kinds of violations.
const (
	KindHashMismatch      = "hash_mismatch"
	kindSizeMismatch      = "size_mismatch"
	kindRowsMismatch      = "rows_mismatch"
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
	KindNotPlainFile      = "not_a_plain_file"
	KindNotCanonical      = "not_canonical"

	KindPartDropped  = "part_dropped"
	KindPartChanged  = "part_changed"
	KindPartTwice    = "part_twice"
	KindPartForeign  = "part_foreign"
	KindPartOrder    = "part_order"
	KindPartMissing  = "part_missing"
	KindLinkReplaced = "link_replaced"
	KindFileMode     = "file_mode"
	KindCompaction   = "compaction_differs"
	KindFirstClass   = "first_class"
	KindClassMoved   = "class_moved"
	KindRecordTwice  = "record_twice"
	KindDeadList     = "dead_list_malformed"
	KindDeadRevived  = "dead_class_revived"
	KindDeadNotPure  = "dead_class_not_pure"
	KindDeadAlive    = "dead_class_alive"
	KindDeadOmitted  = "dead_class_omitted"

	KindExpiredLinked = "expired_part_linked"
	KindExpiredFalls  = "expired_falls"
	KindExpiredWrong  = "expired_differs"
	KindExpiredTime   = "created_at_falls"
	KindPeopleEver    = "people_ever_differs"
	KindRecordBack    = "record_came_back"

	KindClassBelowK     = "class_below_k"
	KindClassAboveK     = "class_above_k"
	KindValueAboveL     = "value_above_l"
	KindPromisesNothing = "l_promises_nothing"
	KindBirthBelowPool  = "birth_below_min_pool"
	KindPrinciple       = "principle_violated"
	KindClassNumbers    = "class_numbering"
	KindClassOrder      = "class_order"
	KindRowOrder        = "row_order"
	KindMixedCells      = "class_cells_differ"

	KindMemberOutside   = "member_outside_cell"
	KindCellNotTight    = "cell_not_tight"
	KindBagMismatch     = "bag_mismatch"
	KindRowsNotMembers  = "rows_not_members"
	KindMembersMismatch = "members_mismatch"
	KindSubjectRepeated = "subject_repeated_in_class"
	KindSubjectTwice    = "subject_published_twice"
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
	KindBucketNumbers      = "bucket_numbering"
	KindBucketOrder        = "bucket_order"
	KindBucketSplitsClass  = "bucket_splits_class"
	KindReference          = "reference_mismatch"
	KindBucketMismatch     = "bucket_mismatch"
	KindBucketChanged      = "bucket_changed"
	KindBucketEmpty        = "bucket_without_class"
	KindBucketRefined      = "bucket_refined"
	KindBucketRegrouped    = "bucket_regrouped"
	KindBucketCrossesBirth = "bucket_crosses_births"
	KindFirstBucket        = "first_bucket"
	KindDrawnValues        = "drawn_values_differ"
	KindStale              = "stale_count"
	KindWithdrawn          = "withdrawn_differs"
	KindWithdrawnBack      = "withdrawn_bucket_back"
	KindErasureTime        = "withdrawn_outside_erasure_release"
	KindPoolNumbers        = "pool_numbering"
	KindPoolBag            = "pool_bag_differs"
	KindPairTable          = "pair_table_differs"
	KindStrataMixed        = "strata_mixed"
	KindStratumMismatch    = "stratum_mismatch"
	KindHistoryLength      = "history_length"

	KindVectorBack    = "vector_back"
	KindVectorShape   = "vector_malformed"
	KindVectorRelease = "vector_release_unknown"
	KindVectorRoot    = "vector_root_mismatch"
	KindShardManifest = "shard_manifest_mismatch"
	KindShardSettings = "shard_settings_differ"
	KindShardPart     = "shard_part_mismatch"
	KindUnionSum      = "union_sum_mismatch"
	KindSubjectShards = "subject_in_two_shards"
	// KindSubjectDatasets: two datasets of one subject ledger have a person.
	KindSubjectDatasets = "subject_in_two_datasets"
	KindSubjectKeys     = "subject_keys_differ"
	KindSourceShards    = "partition_in_two_shards"
	KindTimeBack        = "created_at_back"

	KindView             = "view_differs"
	KindReplay           = "replay_differs"
	KindPartDiffers      = "part_differs"
	KindCertificateFalse = "certificate_false"
	KindClaimFalse       = "claim_false"
)

// Faults gathers violations, one entry per rule, kind, release and attribute.
type Faults struct {
	List []Violation
	N    int // occurrences, which list sums up
	at   map[faultKey]int
	// Where findings are at hand: in one part, or in a table over several, whose
	// classes locate tells apart.
	Part   string
	shard  *int // of a union
	Locate func(class int) (part string, number int)
}

type faultKey struct {
	kind, attribute string
	release, shard  int
}

func (f *Faults) Add(rule, kind string, release, class int, attribute, detail string) {
	f.AddN(rule, kind, release, class, attribute, detail, 1)
}

func (f *Faults) AddN(rule, kind string, release, class int, attribute, detail string, n int) {
	if n == 0 {
		return
	}
	f.N += n
	key := faultKey{kind, attribute, release, -1}
	if f.shard != nil {
		key.shard = *f.shard
	}
	if i, ok := f.at[key]; ok {
		f.List[i].Count += n
		return
	}
	if f.at == nil {
		f.at = map[faultKey]int{}
	}
	f.at[key] = len(f.List)
	part := f.Part
	if class > 0 && f.Locate != nil {
		part, class = f.Locate(class)
	}
	f.List = append(f.List, Violation{rule, kind, f.shard, release, part, class, attribute, detail, n, ""})
}

func (f *Faults) Sorted() []Violation {
	slices.SortStableFunc(f.List, func(a, b Violation) int { return cmp.Compare(a.Release, b.Release) })
	return f.List
}

// Of runs a check whose findings are about a shard.
func (f *Faults) Of(shard int, check func()) {
	was := f.shard
	f.shard = &shard
	check()
	f.shard = was
}
