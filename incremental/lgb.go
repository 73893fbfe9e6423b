package incremental

// Local generalization and bucketization in a chain of releases (Li, He and Sun,
// made incremental; docs/THREAT_MODEL.md, Theorem L).
//
// A release shows, for each record, its class, the cells of the class (tight over
// the quasi-identifiers and the semi-sensitive values that are not flagged), and
// in place of each flagged value and of the sensitive value the local bucket that
// it lies in, whose bag is public. The sensitive attribute's buckets are the
// classes. The buckets of a semi-sensitive attribute are made of the records born
// in one release and never change (rule A, frozen classes). They nest in the classes: a bucket is
// a union of whole classes whose values keep the promise, or, with `l`, part of a
// class that keeps it alone, cut by LocalBuckets, so that every value occurs once
// among l or more.
//
// Claim. An adversary knows the quasi-identifiers, all flags, all values that are
// not flagged, and the row of each record, hence its class and its buckets, in
// all releases. Whatever their number, at L0 and L1 the posterior of a value of a
// record is its share of the record's bucket, in each attribute on its own: with
// `l` at most 1/l.
//
// Proof. Which worlds (assignments of the unknown values) fit all releases? The
// cells depend on known values alone. A record is in one bucket an attribute,
// from birth, in every release the same; so all releases together say of each
// bucket once that its records have the values of its bag, and nothing else. The
// worlds that fit are therefore the product, over the buckets of all attributes
// and births, of the ways to assign the bag of the bucket to its records. The uniform
// law on a product is independent and uniform in each factor. In each factor a record
// has a value with the probability of the value's share of the bag, at most 1/l. L1
// adds signatures, of which frozen classes have none. (The flags are public; that they correlate with values is
// out of scope, as for any attribute.)
//
// Claim K1. An adversary who knows the class of each record and no flagged value
// finds each of the k or more rows of the class equally likely a person's. Proof: the
// members of a class have the same flags, so to exchange what two of them have in
// all bucketed attributes, buckets included, changes no file and maps worlds that
// fit to worlds that fit. The posterior of a value is then the mean over the rows of
// the class of the shares above: at most 1/l again.
//
// The same holds for an adversary who counts each assignment of values to people
// once, whatever rows they would stand in, as L0 is written. For buckets nest: what the releases
// say of values is, for each class that is cut, that its members have the values
// of its buckets in any order, and for each union, that its members have its bag;
// each a uniform assignment in which a value has its share of a bag that keeps the
// promise. The paper's buckets cross classes, and that count can then exceed 1/l
// (4/7 at l=2: docs/THREAT_MODEL.md); hence not here.
//
// Rule D (difference) for each attribute follows: the flagged values of a birth release lie in
// buckets that each keep the promise, so together they keep it (for `t` holdBack
// and the cut below check it itself). Rule F (forbidden operations): which bucket a record is in is a
// function of the seed, the release, its value and the content of the records
// born with it, not of its number; among records of one value it is drawn (rule R,
// randomness), so that neither quasi-identifiers nor order of arrival show.
type localBuckets struct {
	buckets [][][]RecordID // by semi-sensitive attribute: buckets in order of birth
	upTo    [][]int        // by release - 1, attribute: how many of them it shows
	classes int            // classes that are in
}

// views returns the bucketed attributes of a release. Buckets are made when a view
// first needs them and kept: 4 bytes a flagged value.
func (l *localBuckets) views(v *View, h *history, b bucketizer) []LocalView {
	for len(l.upTo) < int(v.Intent.Release) {
		l.add(uint32(len(l.upTo)+1), h, b)
	}
	var out []LocalView
	for j, i := range v.Schema.Semi() {
		from, n := 0, l.upTo[v.Intent.Release-1][j]
		if v.Since > 0 {
			from = l.upTo[v.Since-1][j]
		}
		out = append(out, LocalView{Attribute: i, Codes: v.Semi[j], Buckets: l.buckets[j][from:n:n]})
	}
	sensitive := LocalView{Attribute: v.Schema.SensitiveIndex(), Codes: v.SA}
	for _, c := range v.Classes {
		sensitive.Buckets = append(sensitive.Buckets, c.Members)
	}
	return append(out, sensitive)
}

// add makes the buckets of the classes born in a release, the one after the last.
func (l *localBuckets) add(release uint32, h *history, b bucketizer) {
	if l.buckets == nil {
		l.buckets = make([][][]RecordID, len(b.each))
	}
	var births [][]RecordID
	for _, c := range h.births(release, l.classes) {
		births = append(births, c.Members)
	}
	l.classes += len(births)
	counts := make([]int, len(l.buckets))
	for j, made := range b.cut(release, births) {
		l.buckets[j] = append(l.buckets[j], made...)
		counts[j] = len(l.buckets[j])
	}
	l.upTo = append(l.upTo, counts)
}
