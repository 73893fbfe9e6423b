package incremental

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/lgb"
)

// bucketizer cuts the sensitive values of classes into local buckets (lgb.go says
// why those are safe).
type bucketizer struct {
	promises
	secrets *secrets
}

// cut returns, by semi-sensitive attribute, the buckets of classes that are born
// in one release. The members of a bucket ascend.
func (b bucketizer) cut(release uint32, births [][]RecordID) [][][]RecordID {
	if len(births) > 0 && len(b.each) > 0 {
		births = newCanonical(b.records).order(births)
	}
	out := make([][][]RecordID, len(b.each))
	for j := range b.each {
		var flagged [][]RecordID
		for _, members := range births {
			if hasFlag(b.records.flagged(members[0]), j) {
				flagged = append(flagged, members)
			}
		}
		out[j] = b.buckets(release, &b.each[j], flagged)
	}
	return out
}

// buckets cuts the values of one attribute in classes that come in canonical
// order: into unions of whole classes, and of a class that keeps a promise `l` by
// itself the narrower buckets that Algorithm 2 finds in it.
func (b bucketizer) buckets(release uint32, p *promise, classes [][]RecordID) (out [][]RecordID) {
	draws := b.secrets.draw(release, "local buckets of "+p.name)
	for _, u := range p.unions(b.records, classes) {
		if u.classes > 1 || p.l == 0 {
			out = append(out, u.members)
			continue
		}
		out = append(out, b.class(p, u.members, draws)...)
	}
	for _, bucket := range out {
		slices.Sort(bucket)
	}
	return out
}

// class cuts one class, its members in canonical order, by Algorithm 2.
func (b bucketizer) class(p *promise, members []RecordID, draws equivclass.Source) [][]RecordID {
	column, rows := make([]equivclass.Code, len(members)), make([]int32, len(members))
	for i, r := range members {
		column[i], rows[i] = b.records.semi(p.j).At(int(r)), int32(i)
	}
	var out [][]RecordID
	for _, rows := range lgb.LocalBuckets(column, equivclass.CanonicalOrder(b.records.semiDict(p.j)), rows, p.l, draws) {
		bucket := make([]RecordID, len(rows))
		for i, row := range rows {
			bucket[i] = members[row]
		}
		out = append(out, bucket)
	}
	return out
}

// union is a set of whole classes whose sensitive values of one attribute keep its
// promise together.
type union struct {
	members []RecordID // in order of the classes
	classes int
	bag     equivclass.Bag
}

// unions takes classes one after the other until they keep the promise, then
// begins the next union. If the classes left at the end do not keep it, they are
// merged with the union before, and again with the one before that, until they do.
// All classes together keep the promise: holdBack has made sure of that.
func (p *promise) unions(c *columns, classes [][]RecordID) []union {
	var done []union
	open := union{}
	for _, members := range classes {
		open.members = append(open.members, members...)
		open.classes++
		open.bag = open.bag.Plus(c.semiBag(p.j, members))
		if p.holds(open.bag) {
			done, open = append(done, open), union{}
		}
	}
	for len(open.members) > 0 && len(done) > 0 && !p.holds(open.bag) {
		last := done[len(done)-1]
		done = done[:len(done)-1]
		open.members = append(open.members, last.members...)
		open.classes += last.classes
		open.bag = open.bag.Plus(last.bag)
	}
	if len(open.members) > 0 {
		done = append(done, open)
	}
	return done
}
