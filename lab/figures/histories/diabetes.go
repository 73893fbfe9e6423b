package histories

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

// The encounters of UCI Diabetes 130-US hospitals in the order of their numbers; the sensitive value is the first diagnosis, to three
// digits.
const (
	encounters = "diabetes130.csv.gz"
	elsewhere  = "ANOND_DATA" // the environment variable that names its directory
	settling   = 10_000
	every      = 1000 // records between two cuts
	enough     = 500  // people of a pool (policy.max_pool)
)

var encounterColumns = []string{"race", "gender", "age", "admission_type_id", "admission_source_id", "time_in_hospital", "number_diagnoses",
	"diag_1", "patient_nbr", "encounter_id"}

// stream is what was published of the encounters.
type stream struct {
	name      string
	records   int     // that arrived
	ended     int     // of them, of people whose window has ended
	within    int     // that came within a window, up to the largest number of records of a person
	published int     // records
	judged    int     // people whose pools were quarantined
	people    int     // published
	bucket    int     // people in that of the median person
	top       float64 // largest share of people of a bucket who ever have one value
}

// readEncounters reads rows with the columns above, categories as numbers; nil: the file is not there.
func readEncounters() (rows []equivclass.Row, err error) {
	dir := os.Getenv(elsewhere)
	if dir == "" {
		return nil, nil
	}
	codes := map[string]int{}
	err = dataset.ReadCSV(os.DirFS(dir), encounters, func(r *csv.Reader) error {
		header, err := r.Read()
		if err != nil {
			return err
		}
		for {
			record, err := r.Read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			var row equivclass.Row
			for i, name := range encounterColumns {
				at := slices.Index(header, name)
				if at < 0 {
					return fmt.Errorf("%s has no column %s", encounters, name)
				}
				text := record[at]
				if name == "diag_1" {
					text, _, _ = strings.Cut(text, ".")
				} else if _, err := strconv.Atoi(text); err != nil {
					key := strconv.Itoa(i) + " " + text
					if _, known := codes[key]; !known {
						codes[key] = len(codes)
					}
					text = strconv.Itoa(codes[key])
				}
				row = append(row, []byte(text))
			}
			if len(row[7]) > 0 {
				rows = append(rows, row)
			}
		}
	})
	slices.SortStableFunc(rows, func(a, b equivclass.Row) int {
		return cmp.Or(cmp.Compare(len(a[9]), len(b[9])), slices.Compare(a[9], b[9]))
	})
	return rows, err
}

// published plays the encounters as a stream, with a cut after every 1000; most: records of a person, 0: the first alone, nobody settles.
func published(ctx context.Context, rows []equivclass.Row, k, l, most int) (*stream, error) {
	var attributes []equivclass.Attribute
	for i, name := range encounterColumns[:9] {
		a := equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Integer}
		switch i {
		case 7:
			a.Role, a.Type = equivclass.Sensitive, equivclass.Categorical
		case 8:
			a.Role, a.Type = equivclass.Subject, equivclass.Categorical
		}
		attributes = append(attributes, a)
	}
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	if err != nil {
		return nil, err
	}
	policy := state.Policy{Requirement: equivclass.Requirement{K: k, L: l}, Level: state.L2, Republication: state.Append, Threshold: k - 1,
		HoldInCuts: true, Neighbours: 32, Similar: 8, OnRefusal: state.QuarantineRefused, Workers: 1, MaxPool: enough}
	out := &stream{name: fmt.Sprintf("k = %d, l = %d, first records", k, l), records: len(rows)}
	if most > 0 {
		policy.Settle = settle.Rule{Records: settling, Max: most}
		out.name = fmt.Sprintf("k = %d, l = %d, histories of %d", k, l, most)
	}
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: schema, Policy: policy, Seed: [32]byte{1}, Seeded: true})
	if err != nil {
		return nil, err
	}
	p, releases := state.Partition{Source: "encounters"}, uint32(0)
	for i, row := range rows {
		if err := m.Stamp(p, 0); err != nil {
			return nil, err
		}
		if _, err := m.ApplyOf(p, int64(i), row[:9], m.SubjectOf(row[:9])); err != nil {
			return nil, err
		}
		for (i+1)%every == 0 || i+1 == len(rows) {
			intent, err := m.Cut(1_700_000_000+int64(i), [32]byte{})
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			if intent == nil {
				break
			}
			if releases = intent.Release; m.Published(releases, [32]byte{}) != nil {
				return nil, errors.New("a release is not published")
			}
		}
	}
	view, err := m.Releases().View(releases)
	if err != nil {
		return nil, err
	}
	out.count(view, schema.SensitiveIndex())
	out.judged = int(m.Status().Pending.Quarantined)
	out.arrivals(rows, most)
	return out, nil
}

// arrivals counts what came within windows.
func (s *stream) arrivals(rows []equivclass.Row, most int) {
	first, taken := map[string]int{}, map[string]int{}
	for i, row := range rows {
		who := string(row[8])
		if _, known := first[who]; !known {
			first[who] = i
		}
		if len(rows)-first[who] > settling || most == 0 {
			s.ended++
		}
		if taken[who] < max(1, most) && i-first[who] < settling {
			taken[who]++
			s.within++
		}
	}
}

// count looks at what is published.
func (s *stream) count(v *incremental.View, sensitive int) {
	sizes, ever := map[state.BucketID]int{}, map[state.BucketID]map[string]int{}
	var of []state.BucketID
	for _, c := range v.Classes {
		for _, r := range c.Members {
			text := v.Dictionaries[sensitive].Text(v.Column(sensitive).At(int(r)))
			s.people, s.published = s.people+1, s.published+len(equivclass.Parts(text))
			sizes[c.Bucket]++
			of = append(of, c.Bucket)
			if ever[c.Bucket] == nil {
				ever[c.Bucket] = map[string]int{}
			}
			for _, v := range equivclass.Ever(text) {
				ever[c.Bucket][v]++
			}
		}
	}
	var people []int
	for _, b := range of {
		people = append(people, sizes[b])
		for _, n := range ever[b] {
			s.top = max(s.top, float64(n)/float64(sizes[b]))
		}
	}
	if slices.Sort(people); len(people) > 0 {
		s.bucket = people[len(people)/2]
	}
}

// diabetes measures the encounters, if they are there; nil: they are not, or a smaller scale was asked for.
func diabetes(ctx context.Context, in figures.Input) (out []*stream, err error) {
	if in.Scale < 1 {
		return nil, nil
	}
	rows, err := readEncounters()
	if err != nil || rows == nil {
		return nil, err
	}
	for _, x := range [][3]int{{10, 5, 0}, {10, 5, 2}, {5, 3, 0}, {5, 3, 4}} {
		in.Step(fmt.Sprintf("%d encounters, k = %d, l = %d, up to %d records a person", len(rows), x[0], x[1], max(1, x[2])))
		s, err := published(ctx, rows, x[0], x[1], x[2])
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// encounterPanel shows the streams.
func encounterPanel(of []*stream) figures.Panel {
	p := figures.Panel{Name: "b", Header: []string{"published", "records", "within windows", "of ended windows", "records published",
		"people published", "people quarantined", "people in the median bucket", "largest ever share"}}
	for _, s := range of {
		p.Rows = append(p.Rows, []string{s.name, strconv.Itoa(s.records), strconv.Itoa(s.within), strconv.Itoa(s.ended),
			strconv.Itoa(s.published), strconv.Itoa(s.people), strconv.Itoa(s.judged), strconv.Itoa(s.bucket), figures.Number(s.top, 4)})
	}
	return p
}

// encounterClaim judges the streams.
func encounterClaim(of []*stream) figures.Claim {
	share := func(n, all int) float64 { return 100 * float64(n) / float64(max(1, all)) }
	text, holds := "", true
	for i, s := range of {
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("%s: %s %% of all records within windows, %s %% of those of ended windows published, median bucket %d", s.name,
			figures.Short(share(s.within, s.records)), figures.Short(share(s.published, s.ended)), s.bucket)
		if i%2 == 1 { // histories, behind first records
			holds = holds && share(s.published, s.ended) > share(of[i-1].published, of[i-1].ended)+5 && s.bucket <= 30
		}
	}
	return figures.NewClaim("Of a hospital's encounters histories publish more than first records do, in buckets of 30 people or fewer.", "",
		figures.Found(figures.If(holds), "%s", text))
}
