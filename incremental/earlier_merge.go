package incremental

import (
	"cmp"
	"container/heap"
	"iter"
)

// CompareChains orders chains by epoch and shard.
func CompareChains(a, b Chain) int {
	return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Shard, b.Shard))
}

// MergeEarlier joins streams of people, each in order, into one that has everybody once, in order. Cost: one
// person of each stream in memory.
func MergeEarlier(streams []iter.Seq2[EarlierPerson, error]) iter.Seq2[EarlierPerson, error] {
	return func(yield func(EarlierPerson, error) bool) {
		var fronts fronts
		for _, s := range streams {
			next, stop := iter.Pull2(s)
			defer stop()
			if err := fronts.pull(next); err != nil {
				yield(EarlierPerson{}, err)
				return
			}
		}
		for last := uint64(0); len(fronts) > 0; {
			first := heap.Pop(&fronts).(front)
			if first.person.Subject != last && !yield(first.person, nil) {
				return
			}
			last = first.person.Subject
			if err := fronts.pull(first.next); err != nil {
				yield(EarlierPerson{}, err)
				return
			}
		}
	}
}

// front is the next person of a stream.
type front struct {
	person EarlierPerson
	next   func() (EarlierPerson, error, bool)
}

// fronts are those of all streams, a heap.
type fronts []front

func (f fronts) Len() int           { return len(f) }
func (f fronts) Less(i, j int) bool { return CompareEarlier(f[i].person, f[j].person) < 0 }
func (f fronts) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *fronts) Push(x any)        { *f = append(*f, x.(front)) }

// Pop implements heap.Interface.
func (f *fronts) Pop() any {
	n := len(*f) - 1
	x := (*f)[n]
	*f = (*f)[:n]
	return x
}

// pull takes the next person of a stream, if there is one.
func (f *fronts) pull(next func() (EarlierPerson, error, bool)) error {
	p, err, ok := next()
	if ok && err == nil {
		heap.Push(f, front{p, next})
	}
	return err
}
