package audit

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
}

// Place names where it was found: release, part and class, as far as it has them.
func (v *Violation) Place() string {
	out := fmt.Sprintf("release %d", v.Release)
	if v.Shard != nil {
		out = fmt.Sprintf("shard %d, release %d", *v.Shard, v.Release)
	}
	if v.Part != "" {
		out += ", " + v.Part
	}
	if v.Class > 0 {
		out += fmt.Sprintf(", class %d", v.Class)
	}
	return out
}

// Kinds of violations.
const (
	kindHashMismatch      = "hash_mismatch"
	kindSizeMismatch      = "size_mismatch"
	kindRowsMismatch      = "rows_mismatch"
	kindUnexpectedFile    = "unexpected_file"
	kindExtraColumn       = "extra_column"
	kindReleaseMissing    = "release_missing"
	kindReleaseNumber     = "release_number"
	kindChainBroken       = "chain_broken"
	kindCurrentMismatch   = "current_mismatch"
	kindLedgerAhead       = "ledger_ahead"
	kindLedgerBehind      = "ledger_behind"
	kindLedgerMismatch    = "ledger_mismatch"
	kindContractChanged   = "contract_changed"
	kindHierarchyMismatch = "hierarchy_mismatch"
	kindCountMismatch     = "count_mismatch"
	kindNotPlainFile      = "not_a_plain_file"
	kindNotCanonical      = "not_canonical"

	kindPartDropped  = "part_dropped"
	kindPartChanged  = "part_changed"
	kindPartTwice    = "part_twice"
	kindPartForeign  = "part_foreign"
	kindPartOrder    = "part_order"
	kindPartMissing  = "part_missing"
	kindLinkReplaced = "link_replaced"
	kindFileMode     = "file_mode"
	kindCompaction   = "compaction_differs"
	kindFirstClass   = "first_class"
	kindClassMoved   = "class_moved"
	kindRecordTwice  = "record_twice"
	kindDeadList     = "dead_list_malformed"
	kindDeadRevived  = "dead_class_revived"
	kindDeadNotPure  = "dead_class_not_pure"
	kindDeadAlive    = "dead_class_alive"
	kindDeadOmitted  = "dead_class_omitted"

	kindClassBelowK     = "class_below_k"
	kindClassAboveK     = "class_above_k"
	kindValueAboveL     = "value_above_l"
	kindPromisesNothing = "l_promises_nothing"
	kindBirthBelowPool  = "birth_below_min_pool"
	kindPrinciple       = "principle_violated"
	kindClassNumbers    = "class_numbering"
	kindClassOrder      = "class_order"
	kindRowOrder        = "row_order"
	kindMixedCells      = "class_cells_differ"

	kindMemberOutside   = "member_outside_cell"
	kindCellNotTight    = "cell_not_tight"
	kindBagMismatch     = "bag_mismatch"
	kindRowsNotMembers  = "rows_not_members"
	kindMembersMismatch = "members_mismatch"
	kindSubjectRepeated = "subject_repeated_in_class"
	kindSubjectTwice    = "subject_published_twice"
	kindBeforeArrival   = "published_before_arrival"
	kindBeforeValue     = "member_before_value"

	kindClassResplit       = "class_resplit"
	kindClassMerged        = "class_merged"
	kindClassGrown         = "class_grown"
	kindLoneNewcomer       = "lone_newcomer"
	kindFrozenBagChanged   = "frozen_bag_changed"
	kindFrozenCellsChanged = "frozen_cells_changed"
	kindFrozenVanished     = "frozen_class_vanished"
	kindSignaturesMixed    = "signatures_mixed"
	kindUnequalCounts      = "unequal_counts"
	kindSignatureShrank    = "signature_shrank"
	kindDifference         = "difference_exceeded"
	kindRecordGone         = "record_disappeared"
	kindRowsRemoved        = "rows_removed"
	kindBudget             = "budget_exceeded"
	kindBucketSize         = "bucket_size_differs"
	kindBucketNumbers      = "bucket_numbering"
	kindBucketOrder        = "bucket_order"
	kindBucketSplitsClass  = "bucket_splits_class"
	kindReference          = "reference_mismatch"
	kindBucketMismatch     = "bucket_mismatch"
	kindBucketChanged      = "bucket_changed"
	kindBucketRowsMoved    = "bucket_rows_moved"
	kindBucketGrown        = "bucket_grown"
	kindBucketEmpty        = "bucket_without_class"
	kindBucketRefined      = "bucket_refined"
	kindBucketRegrouped    = "bucket_regrouped"
	kindBucketCrossesBirth = "bucket_crosses_births"
	kindFirstBucket        = "first_bucket"

	kindVectorBack    = "vector_back"
	kindVectorShape   = "vector_malformed"
	kindVectorRelease = "vector_release_unknown"
	kindVectorRoot    = "vector_root_mismatch"
	kindShardManifest = "shard_manifest_mismatch"
	kindShardSettings = "shard_settings_differ"
	kindShardPart     = "shard_part_mismatch"
	kindUnionSum      = "union_sum_mismatch"
	kindSubjectShards = "subject_in_two_shards"
	kindSubjectKeys   = "subject_keys_differ"
	kindSourceShards  = "partition_in_two_shards"
	kindTimeBack      = "created_at_back"

	kindReplay           = "replay_differs"
	kindPartDiffers      = "part_differs"
	kindCertificateFalse = "certificate_false"
	kindClaimFalse       = "claim_false"
)

// faults gathers violations, one entry per rule, kind, release and attribute.
type faults struct {
	list []Violation
	n    int // occurrences, which list sums up
	at   map[faultKey]int
	// Where findings are at hand: in one part, or in a table over several, whose
	// classes locate tells apart.
	part   string
	shard  *int // of a union
	locate func(class int) (part string, number int)
}

type faultKey struct {
	kind, attribute string
	release, shard  int
}

func (f *faults) add(rule, kind string, release, class int, attribute, detail string) {
	f.addN(rule, kind, release, class, attribute, detail, 1)
}

func (f *faults) addN(rule, kind string, release, class int, attribute, detail string, n int) {
	if n == 0 {
		return
	}
	f.n += n
	key := faultKey{kind, attribute, release, -1}
	if f.shard != nil {
		key.shard = *f.shard
	}
	if i, ok := f.at[key]; ok {
		f.list[i].Count += n
		return
	}
	if f.at == nil {
		f.at = map[faultKey]int{}
	}
	f.at[key] = len(f.list)
	part := f.part
	if class > 0 && f.locate != nil {
		part, class = f.locate(class)
	}
	f.list = append(f.list, Violation{rule, kind, f.shard, release, part, class, attribute, detail, n})
}

func (f *faults) sorted() []Violation {
	slices.SortStableFunc(f.list, func(a, b Violation) int { return cmp.Compare(a.Release, b.Release) })
	return f.list
}

// of runs a check whose findings are about a shard.
func (f *faults) of(shard int, check func()) {
	was := f.shard
	f.shard = &shard
	check()
	f.shard = was
}
