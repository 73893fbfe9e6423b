package chaos

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// part is what a shard reads of a feed: the partitions whose number modulo the shards is its own.
func (f *feed) part(index, of int) *feed {
	return &feed{parts: make([][]message, len(f.parts)), gone: f.gone, deletes: f.deletes, keyed: true, whole: f, index: index, of: of}
}

// reads reports whether a partition is one of the shard.
func (f *feed) reads(p int) bool {
	return f.whole == nil || p%f.of == f.index || f.strays && p == (f.index+1)%f.of
}

// refresh takes in what was sent since.
func (f *feed) refresh() {
	for p := range f.parts {
		if f.reads(p) {
			f.parts[p] = f.whole.parts[p]
		}
	}
	f.persons = f.whole.persons
}

// place is the partition to which the key of a person leads, by a library that anond has no part in.
func (f *feed) place(person int) int {
	of := kgo.StickyKeyPartitioner(nil).ForTopic(topic) // with a key: Kafka's hash of it
	return of.Partition(&kgo.Record{Key: []byte(subjectOf(person))}, len(f.parts))
}

// mine is the first person from a number on who is in this shard.
func (f *feed) mine(person int) int {
	for f.whole != nil && f.place(person)%f.of != f.index {
		person++
	}
	return person
}
