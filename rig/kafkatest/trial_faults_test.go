package kafkatest

import "fmt"

// faults are what is wrong: records that are lost or there twice, and people who are published
// twice or in two shards.
func (e *evidence) faults() (out []string) {
	out = append(out, e.placed()...)
	out = append(out, e.persons()...)
	return append(out, e.sums()...)
}

// found counts what is wrong in one way, and keeps the first.
type found struct {
	n     int
	first any
}

func (f *found) see(what any) {
	if f.n++; f.n == 1 {
		f.first = what
	}
}

// as says it; nothing if nothing is wrong.
func (f *found) as(what string) []string {
	if f.n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d %s, such as %v", f.n, what, f.first)}
}

// places counts how often each record of the topic is in a shard.
type places struct {
	e                       *evidence
	seen                    [][]uint8
	strange, foreign, wrong found
}

// see notes that a shard has a record, or has refused it.
func (s *places) see(shard int, p position, refused bool) {
	if p.partition >= len(s.seen) || p.offset >= int64(len(s.seen[p.partition])) {
		s.strange.see(p)
		return
	}
	if p.partition%len(s.e.shards) != shard {
		s.foreign.see(p)
	}
	if refused != (s.e.who[p.partition][p.offset] == nobody) {
		s.wrong.see(p)
	}
	s.seen[p.partition][p.offset] = min(s.seen[p.partition][p.offset]+1, 2)
}

// placed holds that each record of the topic is in one shard, its own, as a record or as a dead
// letter, and which of the two as its writer knows.
func (e *evidence) placed() (out []string) {
	s, lost, twice := &places{e: e}, found{}, found{}
	for _, part := range e.who {
		s.seen = append(s.seen, make([]uint8, len(part)))
	}
	for i, shard := range e.shards {
		for _, p := range shard.records {
			s.see(i, p, false)
		}
		for _, p := range shard.letters {
			s.see(i, p, true)
		}
	}
	for id, part := range s.seen {
		for offset, n := range part {
			switch at := (position{id, int64(offset)}); n {
			case 0:
				lost.see(at)
			case 2:
				twice.see(at)
			}
		}
	}
	out = append(out, s.strange.as("records of a shard are not in the topic")...)
	out = append(out, s.foreign.as("records are in a shard that does not read their partition")...)
	out = append(out, s.wrong.as("records were refused though they can be read, or the other way round")...)
	out = append(out, lost.as("records are lost")...)
	return append(out, twice.as("records are there twice")...)
}

// persons holds that nobody is published twice and nobody is in two shards: by the digests of
// the exports, and by what the writer of the topic knows.
func (e *evidence) persons() (out []string) {
	home, published, shown := map[string]int{}, map[string]bool{}, map[int32]bool{}
	var moved, doubled, known, unknown found
	for i, s := range e.shards {
		for _, p := range s.records {
			digest := s.persons[p]
			if before, some := home[digest]; some && before != i {
				moved.see(p)
			}
			home[digest] = i
		}
		for _, p := range s.published {
			digest, in := s.persons[p]
			if !in || p.partition >= len(e.who) || p.offset >= int64(len(e.who[p.partition])) {
				unknown.see(p)
				continue
			}
			if published[digest] {
				doubled.see(p)
			}
			who := e.who[p.partition][p.offset]
			if shown[who] {
				known.see(p)
			}
			published[digest], shown[who] = true, true
		}
	}
	out = append(out, moved.as("people are in two shards")...)
	out = append(out, doubled.as("people are published twice, by their digests")...)
	out = append(out, known.as("people are published twice, by their names")...)
	return append(out, unknown.as("records are published that no state holds")...)
}

// sums holds that sent = published + pending + dead letters + beyond, over all shards, and that the
// union shows what the shards have published.
func (e *evidence) sums() (out []string) {
	sent, published, pending, letters, beyond := 0, 0, 0, 0, 0
	for _, part := range e.who {
		sent += len(part)
	}
	for _, s := range e.shards {
		published, pending, letters = published+len(s.published), pending+s.pending, letters+len(s.letters)
		beyond += s.beyond
	}
	if sent != published+pending+letters+beyond {
		out = append(out, fmt.Sprintf("%d sent, but %d published + %d pending + %d dead letters + %d beyond = %d", sent, published, pending,
			letters, beyond, published+pending+letters+beyond))
	}
	if published != e.united {
		out = append(out, fmt.Sprintf("the union has %d records, and its shards published %d", e.united, published))
	}
	return out
}
