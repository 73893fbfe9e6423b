package audit

import (
	"fmt"
	"strings"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
	"anond/snapshot/audit/table"
)

// Verdicts.
const (
	VerdictCertified  = "certified"  // everything checked, nothing broken
	VerdictSealed     = "sealed"     // the same of what is there; of the rest the ledger says that it passed
	VerdictConsistent = "consistent" // nothing broken in what could be checked
	verdictViolated   = "violated"   // at least one violation
	verdictUnreadable = "unreadable" // nothing broken, and files that nothing names
)

// verdict is what findings make of the releases; consistent: there are none. A file that nothing
// names may be anything, also what somebody forgot there: so it is no breach, and no certificate.
func verdict(found []format.Violation) string {
	out := VerdictConsistent
	for _, v := range found {
		if v.Kind != format.KindUnexpectedFile {
			return verdictViolated
		}
		out = verdictUnreadable
	}
	return out
}

// Report is the result of an audit. It holds counts and names, never a
// record's value, so that it may be published unless Private is set. Values that promises name are in the manifests.
type Report struct {
	Verdict string `json:"verdict"`
	// Private: at level L1, with the exports, it has the share of a value among people who wait.
	Private  bool   `json:"private,omitempty"`
	Level    Level  `json:"level"`
	Dataset  string `json:"dataset"`
	Recoding string `json:"recoding"`
	Seeded   bool   `json:"seeded"`
	// Grown: the first pool was refused, and grew; level L2 is not claimed then.
	Grown bool `json:"grown,omitempty"`
	declared
	// Eras are those that have ended, oldest first; what is said above and of buckets is of the newest one.
	Eras []eraRow `json:"eras,omitempty"`
	// Pruned are releases whose directories were removed on purpose; their manifests are
	// part of the chain.
	Pruned []int `json:"pruned,omitempty"`
	// unionReport is what is said of the shards, where the releases are a union's.
	Union        *unionReport       `json:"union,omitempty"`
	Releases     []releaseRow       `json:"releases"`
	Violations   []format.Violation `json:"violations"`
	Certificates *certificates      `json:"certificates,omitempty"` // needs the members export
	Attackers    []shares.Attacker  `json:"attackers"`
	ofBuckets
	Views       []viewRow   `json:"views,omitempty"`
	Replay      *Replay     `json:"replay,omitempty"` // of all decisions, at level L2
	Sealed      *sealing    `json:"sealed,omitempty"` // what the ledger says; nil: none was given
	Corruption  *corruption `json:"corruption,omitempty"`
	Regroups    []int       `json:"regroups,omitempty"` // records by number of regroupings
	NotChecked  []string    `json:"not_checked"`
	NotPromised []string    `json:"not_promised"`

	requireCertified bool
	shape
}

// ofBuckets is what buckets show, at level L2.
type ofBuckets struct {
	Buckets    *table.Buckets `json:"buckets,omitempty"`
	Attributes []attributeRow `json:"attributes,omitempty"` // by sensitive attribute, in the newest release
	Told       []table.Told   `json:"told,omitempty"`       // of the newest release, by its pair tables
}

// shape is what the manifests are of, as far as the text depends on it.
type shape struct {
	exact, claimsL2 bool // cells are exact in some era; level L2 may be claimed
	several         bool // sensitive attributes, in some era
	firstL          int  // that is promised of the first of them, which attackers look for; 0: none, in some era
}

func (a *auditor) shape() shape {
	l := 0
	if !a.any(func(m *format.Manifest) bool { return m.Promises()[0].L < 2 }) {
		l = a.eras[len(a.eras)-1].first.Promises()[0].L
	}
	return shape{a.any(func(m *format.Manifest) bool { return m.WantK1() != "rows" }), a.in.first.ClaimsL2(),
		a.any((*format.Manifest).Several), l}
}

// eraRow is an era that has ended: under what its parts were published, and what their buckets show in the newest release that has them.
type eraRow struct {
	Until    int    `json:"until"` // release
	Recoding string `json:"recoding"`
	declared
	ofBuckets
}

// declared is under what the parts of an era are published.
type declared struct {
	K int `json:"k"`
	L int `json:"l,omitempty"` // of attributes without a promise of their own; 0: there is none
	// Promises are those of attributes that have one of their own, in words.
	Promises []string `json:"promises,omitempty"`
	// Settle is how long people are observed before they are published; empty: not at all.
	Settle string `json:"settle,omitempty"`
	// MaxRecords is how many records of a person are published at most, as one value; absent: one.
	MaxRecords int `json:"max_records,omitempty"`
}

func declaredBy(m *format.Manifest) declared {
	return declared{K: m.Policy.K, L: m.Policy.L, Promises: m.Says(), Settle: m.Privacy.Settle,
		MaxRecords: m.Privacy.MaxRecords}
}

// levelStructure is said of level L2 where all that files can show of it holds.
const levelStructure = "structure holds"

// Level tells what is established per adversary level. Files and exports certify L0 and L1,
// and a replay L2.
type Level struct {
	L0 string `json:"l0"`
	L1 string `json:"l1"`
	L2 string `json:"l2"`
}

// releaseRow is one release as the files show it.
type releaseRow struct {
	Release      int     `json:"release"`
	Records      int     `json:"records"`
	Pending      int     `json:"pending"`
	Classes      int     `json:"classes"`
	Buckets      int     `json:"buckets,omitempty"`      // level L2
	Parts        int     `json:"parts,omitempty"`        // of a release in parts
	DeadClasses  int     `json:"dead_classes,omitempty"` // of these: regrouped since, rows that readers skip
	KMin         int     `json:"k_min"`
	MaxFrequency float64 `json:"max_frequency"`
	Certificate  string  `json:"certificate"` // as the manifest claims
	Newcomers    int     `json:"newcomers"`
	NewcomersTop float64 `json:"newcomers_top_share"` // rule D (difference): largest share of one value among them
	ClassesKept  int     `json:"classes_kept"`        // there, identical, in the release before
	Waiting      int     `json:"waiting"`             // arrived and not published; -1 when not known
	// WaitingTopShare is the largest share of one value among them; nil at level L2, where nothing is
	// shown of the values of those whose admission is not decided (rule B, buckets).
	WaitingTopShare *float64 `json:"waiting_top_share,omitempty"`
	Pruned          bool     `json:"pruned,omitempty"` // its files were put together from those of a later release
}

// certificates sums up the components of the chain.
type certificates struct {
	FrozenRecords   int     `json:"frozen_records"`
	FrozenClasses   int     `json:"frozen_classes"`
	PureRecords     int     `json:"pure_records"`
	PureComponents  int     `json:"pure_components"`
	OtherRecords    int     `json:"other_records"` // in components without certificate
	OtherComponents int     `json:"other_components"`
	MaxPosterior    float64 `json:"max_posterior"` // largest of those with a certificate
	RowLink         float64 `json:"k1_row_link"`   // K1: largest probability of a row, certified components
	TrajectoryK     int     `json:"trajectory_k"`  // K2: least number sharing a class in every release
}

// attributeRow is what is promised of a sensitive attribute at level L2, and what buckets reach: the worst of all. Ratios are exact.
type attributeRow struct {
	Attribute string `json:"attribute"`
	Promise   string `json:"promise"` // in words
	// TopShare is the largest share of one value in a bucket. By Theorem E it is the largest probability of a person's value, given all
	// releases, to somebody whose prior depends on neither quasi-identifiers nor attendance. A model of relations may give more.
	TopShare  format.Ratio `json:"top_share"`
	TopOdds   format.Ratio `json:"top_odds"`             // the largest factor between the odds of a value in a bucket and in its reference
	Cap       format.Ratio `json:"cap"`                  // the largest share that the promise allows a value
	AchievedL int          `json:"achieved_l,omitempty"` // the largest l that all buckets keep; absent: none
	gain      bool         // odds are promised
}

// attributeRows are those of a release, given what its buckets reach.
func attributeRows(man *format.Manifest, reach table.Reach) (out []attributeRow) {
	promises := man.Promises()
	for i, x := range reach {
		row := attributeRow{Attribute: x.Name, Promise: promises[i].Says(), TopShare: x.TopShare, TopOdds: x.TopOdds, Cap: x.Cap,
			gain: promises[i].Gain != ""}
		if num, den, ok := x.TopShare.Terms(); ok && num > 0 && den/num > 1 {
			row.AchievedL = int(den / num)
		}
		out = append(out, row)
	}
	return out
}

// corruption is the largest posterior of anyone after one other person's value
// became known. Not promised; reported where it is known.
type corruption struct {
	Max         float64 `json:"max"`
	ClosedForm  int     `json:"closed_form_records"` // never regrouped: top/(size-1)
	NotComputed int     `json:"not_computed_records"`
}

// ExitCode is 0 for certified, sealed and consistent, 3 for violated, 1 for unreadable; with
// RequireCertified also 3 for consistent, since the promise is not shown to
// hold, and after a replay for a level L2 that is neither certified nor sealed; and 1 for sealed if the ledger lacks
// a release. Unreadable input is an error of Dir and exits 1.
func (r *Report) ExitCode() int {
	passed := func(state string) bool { return state == VerdictCertified || state == VerdictSealed }
	switch {
	case r.Verdict == verdictUnreadable:
		return 1
	case r.Verdict == verdictViolated:
		return 3
	case !r.requireCertified:
		return 0
	case !passed(r.Verdict) || r.Replay != nil && !passed(r.Level.L2):
		return 3
	case r.Verdict == VerdictSealed && !r.Sealed.Whole:
		return 1
	}
	return 0
}

// notPromised lists the limits of the promise (docs/DATA_PROTECTION.md, What is
// not promised).
func (r *Report) notPromised() []string {
	comesBack := "a reader who believes that who comes back, when and how often, goes with certain sensitive values"
	several := "people with several records of different values: the bound is m/l for m records"
	timed := r.Settle != "" && r.Settle != "end" && !strings.HasSuffix(r.Settle, " records")
	if r.MaxRecords > 1 {
		several = "what records tell that are published of nobody: later ones than the time of observation"
		if timed {
			comesBack = fmt.Sprintf("a reader who believes that when somebody comes back, or how often beyond %d records, goes with certain "+
				"sensitive values", r.MaxRecords)
		}
	}
	out := []string{
		"people still waiting: nothing beyond not being published",
		"a reader who already believes that certain quasi-identifier values go with certain sensitive values, " +
			"or learns that from the releases (deFinetti attack)",
		comesBack,
		"a reader who already knows other people's sensitive values (see the corruption score)",
		several,
		"releases and state restored together from an older backup cannot be detected",
	}
	switch {
	case r.Settle != "" && !timed:
		out = append(out, "a reader who believes that whether a record is corrected goes with certain sensitive values: people are observed "+
			"for different times")
	case timed:
		out = append(out, "a reader who believes that how often, in which order and when a record is corrected, or whether it is later than "+
			r.Settle+" after the first one, goes with certain sensitive values")
	}
	if r.exact {
		out = append(out, "presence in the data: the quasi-identifiers are published exactly")
	}
	if r.several {
		out = append(out, "what one's own value of a sensitive attribute tells about another one")
	}
	if !r.claimsL2 {
		out = append(out, "a reader who knows the program and the law of its random choices (level L2)")
	}
	if r.Seeded {
		out = append(out, "secrecy of the random choices: the manifests say that the seed was given (demo, experiment or test)")
	}
	if c := r.Certificates; c != nil && c.TrajectoryK < r.leastK() && c.TrajectoryK > 0 {
		out = append(out, "that k people share all of a regrouped person's classes: someone who knows a person's class in every release "+
			"may narrow the rows, though not the value, to fewer than k people")
	}
	return out
}

// levelTwo is what is established of level L2, given the state of the others. Files
// show no more than the structure that Theorem E needs.
func (a *auditor) levelTwo(state string) string {
	switch {
	case !a.in.first.ClaimsL2():
		return "not claimed"
	case state == VerdictCertified, state == VerdictSealed:
		return levelStructure
	}
	return state
}

// prunedOnes says what became of pruned releases.
func (a *auditor) prunedOnes() {
	in := a.in
	a.report.Pruned = in.pruned
	if in.vault == nil {
		return
	}
	if a.unseen = in.vault.Lack != ""; a.unseen && len(in.gone) == 0 && !in.vouched {
		a.linked = false
		a.skip("the files of %s, which were pruned: %s. Their manifests were checked. What the chain shows together with them, "+
			"classes that were regrouped since among it, was not: certificates, attackers, and what release %d added",
			ranges(in.pruned), in.vault.Lack, in.here[0])
	} else if a.unseen {
		a.skip("the files of releases before %d: %s", in.here[0], in.vault.Lack)
	}
}
