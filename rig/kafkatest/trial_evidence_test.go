package kafkatest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anond/snapshot"
)

// position is where a record is in the topic.
type position struct {
	partition int
	offset    int64
}

func (p position) String() string {
	return fmt.Sprintf("partition %d, offset %d", p.partition, p.offset)
}

// evidence is what a stopped site shows to somebody outside, next to what the one who wrote
// the topic knows.
type evidence struct {
	who    [][]int32 // by partition and offset: whose record it is; nobody: one that is refused
	shards []shardEvidence
	united int // records in the newest release of the union
}

// shardEvidence is that of one shard.
type shardEvidence struct {
	records   []position          // in the state
	persons   map[position]string // digests of the subjects of these records
	published []position          // in the newest release
	letters   []position          // dead letters that were delivered
	pending   int                 // as the process said last
	beyond    int                 // likewise
}

// gather exports what there is below exports/.
func (s *trialSite) gather(ctx context.Context) (*evidence, error) {
	e := &evidence{who: s.topic.who}
	for i := range s.processes() {
		shard, err := s.gatherShard(ctx, i)
		if err != nil {
			return nil, err
		}
		e.shards = append(e.shards, *shard)
	}
	m, err := snapshot.Show(snapshot.OS(), filepath.Join(s.dir, "releases"), 0)
	if err == nil {
		e.united = m.Records
	}
	return e, err
}

func (s *trialSite) gatherShard(ctx context.Context, i int) (*shardEvidence, error) {
	dir := filepath.Join("exports", fmt.Sprintf("shard-%d", i))
	if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o700); err != nil {
		return nil, err
	}
	records, members := filepath.Join(dir, "records.csv"), filepath.Join(dir, "members.csv")
	for _, export := range [][]string{{"records", records}, {"members", members}} {
		if _, err := s.command(ctx, "state", export[0], "-c", s.file(i), "--out", export[1]); err != nil {
			return nil, err
		}
	}
	e := &shardEvidence{persons: map[position]string{}}
	status, err := s.status(i)
	if err != nil {
		return nil, err
	}
	e.pending, e.beyond = status.Counts.Pending.Total(), status.Counts.Beyond
	err = s.eachRow(records, []string{"record", "patient"}, func(row []string) error {
		at, err := s.place(row[0])
		e.records, e.persons[at] = append(e.records, at), strings.Clone(row[1])
		return err
	})
	newest := ""
	err = errors.Join(err, s.eachRow(members, []string{"record", "release"}, func(row []string) error {
		if row[1] != newest { // releases ascend
			newest, e.published = strings.Clone(row[1]), nil
		}
		at, err := s.place(row[0])
		e.published = append(e.published, at)
		return err
	}))
	return e, errors.Join(err, s.eachLetter(i, func(p position) { e.letters = append(e.letters, p) }))
}

// eachRow reads columns of a CSV file with a header.
func (s *trialSite) eachRow(file string, columns []string, do func([]string) error) error {
	f, err := os.Open(filepath.Join(s.dir, file))
	if err != nil {
		return err
	}
	defer f.Close()
	in := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return err
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(header, c); at[i] < 0 {
			return fmt.Errorf("%s has no column %q", file, c)
		}
	}
	row := make([]string, len(columns))
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, j := range at {
			row[i] = record[j]
		}
		if err := do(row); err != nil {
			return err
		}
	}
}

// place reads the name of a record in an export: source:partition:offset.
func (s *trialSite) place(record string) (position, error) {
	rest, ours := strings.CutPrefix(record, "kafka:"+s.topic.name+":")
	partition, offset, _ := strings.Cut(rest, ":")
	p, err1 := strconv.Atoi(partition)
	o, err2 := strconv.ParseInt(offset, 10, 64)
	if !ours || err1 != nil || err2 != nil {
		return position{}, fmt.Errorf("an export has a record %q, which is not of the topic", record)
	}
	return position{p, o}, nil
}

// eachLetter reads the dead letters of a shard. What several hosts of a group have written is one.
func (s *trialSite) eachLetter(i int, do func(position)) error {
	seen := map[position]bool{}
	for _, path := range s.private(filepath.Join("dead-letter", fmt.Sprint(i), "dead-letter.ndjson")) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			var letter struct {
				Partition int
				Offset    int64
			}
			if err := json.Unmarshal(line, &letter); err != nil {
				return fmt.Errorf("a dead letter: %w", err)
			}
			at := position{letter.Partition, letter.Offset}
			if s.hosts == 0 || !seen[at] {
				do(at)
			}
			seen[at] = true
		}
	}
	return nil
}
