package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// row is one sample.
type row struct {
	Seconds    float64 // since the start of the daemon
	Fed        int64   // records on the topic
	Sent       int64   // of them applied
	Published  int64
	Pending    int64
	DeadLetter int64
	Beyond     int64
	Left       int64 // have left the releases: expired, or withdrawn
	Forgotten  int64
	Release    uint32  // the newest published
	Newcomers  int64   // records that it published first
	Millis     int64   // its time, from the view to the ledger
	NCP        float64 // its loss
	Releasing  uint32  // the one in progress, 0 if none
	RSS        int64   // resident bytes
	Peak       int64   // most resident bytes so far
	Heap       int64   // bytes alive after the newest garbage collection
	CPU        float64 // seconds of processor time so far

	Descriptors int64
	Threads     int64
	Goroutines  int64
	State       int64 // bytes of the state file
	Disk        int64 // bytes of the newest release
}

// column is one column of the table.
type column struct {
	name  string
	value func(*row) any // a pointer to the field
}

var columns = []column{
	{"seconds", func(r *row) any { return &r.Seconds }},
	{"fed", func(r *row) any { return &r.Fed }},
	{"sent", func(r *row) any { return &r.Sent }},
	{"published", func(r *row) any { return &r.Published }},
	{"pending", func(r *row) any { return &r.Pending }},
	{"dead_letter", func(r *row) any { return &r.DeadLetter }},
	{"beyond", func(r *row) any { return &r.Beyond }},
	{"left", func(r *row) any { return &r.Left }},
	{"forgotten", func(r *row) any { return &r.Forgotten }},
	{"release", func(r *row) any { return &r.Release }},
	{"newcomers", func(r *row) any { return &r.Newcomers }},
	{"release_ms", func(r *row) any { return &r.Millis }},
	{"ncp", func(r *row) any { return &r.NCP }},
	{"releasing", func(r *row) any { return &r.Releasing }},
	{"rss_bytes", func(r *row) any { return &r.RSS }},
	{"peak_bytes", func(r *row) any { return &r.Peak }},
	{"heap_bytes", func(r *row) any { return &r.Heap }},
	{"cpu_seconds", func(r *row) any { return &r.CPU }},
	{"descriptors", func(r *row) any { return &r.Descriptors }},
	{"threads", func(r *row) any { return &r.Threads }},
	{"goroutines", func(r *row) any { return &r.Goroutines }},
	{"state_bytes", func(r *row) any { return &r.State }},
	{"release_bytes", func(r *row) any { return &r.Disk }},
}

// table writes each row at once, so that a run that is killed leaves what it measured.
type table struct {
	file *os.File
	csv  *csv.Writer
	rows []row
}

func newTable(path string) (*table, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &table{file: f, csv: csv.NewWriter(f)}
	var header []string
	for _, c := range columns {
		header = append(header, c.name)
	}
	return t, t.write(header)
}

func (t *table) write(cells []string) error {
	err := t.csv.Write(cells)
	t.csv.Flush()
	return errors.Join(err, t.csv.Error())
}

func (t *table) add(r row) error {
	var cells []string
	for _, c := range columns {
		switch v := c.value(&r).(type) {
		case *float64:
			cells = append(cells, strconv.FormatFloat(*v, 'f', 5, 64))
		case *int64:
			cells = append(cells, strconv.FormatInt(*v, 10))
		case *uint32:
			cells = append(cells, strconv.FormatUint(uint64(*v), 10))
		}
	}
	t.rows = append(t.rows, r)
	return t.write(cells)
}

func (t *table) close() error { return t.file.Close() }

// readTable reads the table of an earlier run.
func readTable(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, line := range lines {
		if len(line) != len(columns) || i == 0 && line[0] != columns[0].name {
			return nil, fmt.Errorf("%s:%d is not of a table of this program", path, i+1)
		}
		if i == 0 {
			continue
		}
		var r row
		for k, c := range columns {
			if _, err := fmt.Sscan(line[k], c.value(&r)); err != nil {
				return nil, fmt.Errorf("%s:%d: column %s: %w", path, i+1, c.name, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}
