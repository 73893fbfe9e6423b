package anonymize

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/lab/bucketize"
)

// Recodings of papers that anond run does not publish in. Their tables are plain files:
// CSV, and aboutFile.
const (
	recodingSlicing       = "slicing"
	recodingRandomization = "randomization"
	recodingLGB           = "lgb"
	methodRings           = "ng" // generalization in which each row has cells of its own
)

// aboutFile describes the table next to it.
const aboutFile = "table.json"

// about is what aboutFile says.
type about struct {
	Dataset   string          `json:"dataset"`
	Method    string          `json:"method"`
	Recoding  string          `json:"recoding"`
	K         int             `json:"k"`
	L         int             `json:"l"`
	C         float64         `json:"recursive_c"`
	Slices    [][]string      `json:"slices,omitempty"`    // slicing: the attributes that stay together
	Retention float64         `json:"retention,omitempty"` // randomization
	Semi      map[string]semi `json:"semi,omitempty"`      // lgb
	Records   int             `json:"records"`
	Classes   int             `json:"classes"`
	Seeded    bool            `json:"seeded"`
	Why       string          `json:"why_no_promise,omitempty"`
	Files     []file          `json:"files"`
}

// file is a data file with its hash.
type file struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// plain reports that a table is plain files, and no release of anond.
func plain(recoding, method string) bool {
	return recoding == recodingSlicing || recoding == recodingRandomization || recoding == recodingLGB || method == methodRings
}

// sheetFile is a data file on its way: rows of cells.
type sheetFile struct {
	name string
	rows [][]string
}

// writeFiles writes data files and aboutFile into the directory, which appears whole or
// not at all.
func (o *Options) writeFiles(about *about, files ...sheetFile) (err error) {
	parent := filepath.Dir(filepath.Clean(o.Dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".anond-table-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	about.Dataset, about.Method, about.Recoding, about.K, about.L = o.Dataset, o.Method.Name, o.Recoding, o.Want.K, o.Want.L
	about.Seeded, about.C = o.Seeded, askedC(o.Want.Extra)
	for _, f := range files {
		var text strings.Builder
		if err := csv.NewWriter(&text).WriteAll(f.rows); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tmp, f.name), []byte(text.String()), 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(text.String()))
		about.Files = append(about.Files, file{f.name, hex.EncodeToString(sum[:])})
	}
	data, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, aboutFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Remove(o.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, o.Dir)
}

// ordered sorts the rows of each class, then the classes, and numbers them: neither tells
// in which order the records came.
func ordered(header []string, classes [][][]string) [][]string {
	for _, rows := range classes {
		slices.SortFunc(rows, slices.Compare[[]string])
	}
	slices.SortFunc(classes, func(a, b [][]string) int { return slices.CompareFunc(a, b, slices.Compare[[]string]) })
	out := [][]string{header}
	for i, rows := range classes {
		for _, row := range rows {
			out = append(out, append(row, strconv.Itoa(i+1)))
		}
	}
	return out
}

func namesOf(t *equivclass.Table) (out []string) {
	for _, d := range t.Dicts {
		out = append(out, d.Attribute().Name)
	}
	return out
}

// writePlain writes groups of a table in a recoding of a paper. sa are the sensitive values
// that rows show. It returns why the table has no promise 1/l, if it has none.
func (o *Options) writePlain(t *inputTable, p *equivclass.Pool, groups [][]int32, sa []equivclass.Code) (why string, err error) {
	all := t.published()
	names, last := namesOf(all), len(all.Dicts)-1
	text := func(j int, row int32) string {
		if j == last {
			return all.Dicts[j].Text(sa[row])
		}
		return all.Dicts[j].Text(all.Codes[j][row])
	}
	about := &about{Slices: o.Slices, Retention: o.Retention, Classes: len(groups)}
	name, number := "randomized.csv", "group"
	classes := make([][][]string, len(groups))
	whole := func(group []int32) (out [][]string) {
		for _, row := range group {
			var cells []string
			for j := range names {
				cells = append(cells, text(j, row))
			}
			out = append(out, cells)
		}
		return out
	}
	switch {
	case o.rings():
		name, number = "data.csv", "class"
		rows := bucketize.RingShift(p, groups, o.Want.L, o.draws("ng"))
		for i, ring := range groups {
			for _, r := range rows[:len(ring)] {
				cells := make([]string, 0, len(names)+1)
				for j, d := range all.Dicts[:last] {
					cells = append(cells, query.CellOf(d, gather(all.Codes[j], r.Covers)).Text(d))
				}
				classes[i] = append(classes[i], append(cells, all.Dicts[last].Text(r.SA)))
			}
			rows = rows[len(ring):]
		}
		why = "each row covers l neighbours, but someone who holds all assignments of a ring equally likely " +
			"finds some of them likelier than 1/l, and one known value opens its whole ring"
	case o.Recoding == recodingRandomization:
		values := len(p.SA)
		for i, g := range groups {
			classes[i], values = whole(g), min(values, len(p.Bag(g).Counts))
		}
		why = fmt.Sprintf("a row shows its own value with a probability of up to %.2f, and two releases of a person "+
			"multiply what is learnt", bucketize.RetentionPosterior(o.Retention, values))
	default:
		name = "sliced.csv"
		draws := rand.New(o.draws("slicing"))
		columns, most := slicedColumns(o.Slices, names), 0.0
		for i, g := range groups {
			classes[i] = whole(g)
			for _, slice := range columns {
				from := whole(g)
				for row, at := range draws.Perm(len(g)) {
					for _, j := range slice {
						classes[i][row][j] = from[at][j]
					}
				}
			}
			most = max(most, alongside(columns, classes[i], last))
		}
		if most > 0 {
			why = fmt.Sprintf("a slice joins the sensitive attribute with others, and among rows of a class that agree in those "+
				"one value has up to %.0f %%", 100*most)
		}
	}
	for _, g := range groups {
		about.Records += len(g)
	}
	about.Why = why
	return why, o.writeFiles(about, sheetFile{name, ordered(append(slices.Clone(names), number), classes)})
}

func gather(column []equivclass.Code, rows []int32) (out []equivclass.Code) {
	for _, r := range rows {
		out = append(out, column[r])
	}
	return out
}

// slicedColumns are the slices as columns; the sensitive attribute is alone unless it is named.
func slicedColumns(named [][]string, names []string) (out [][]int) {
	sensitive := false
	for _, slice := range named {
		var columns []int
		for _, name := range slice {
			columns = append(columns, slices.Index(names, name))
		}
		sensitive = sensitive || slices.Contains(columns, len(names)-1)
		out = append(out, columns)
	}
	if !sensitive {
		out = append(out, []int{len(names) - 1})
	}
	return out
}

// alongside is the largest share of one value among rows of a class that agree in what
// stands in one slice with the sensitive attribute; 0 if that is alone.
func alongside(columns [][]int, rows [][]string, last int) (most float64) {
	slice := columns[slices.IndexFunc(columns, func(s []int) bool { return slices.Contains(s, last) })]
	if len(slice) == 1 {
		return 0
	}
	all, with := map[string]int{}, map[[2]string]int{}
	for _, row := range rows {
		var key string
		for _, j := range slice {
			if j != last {
				key += row[j] + "\x00"
			}
		}
		all[key]++
		with[[2]string{key, row[last]}]++
	}
	for k, n := range with {
		most = max(most, float64(n)/float64(all[k[0]]))
	}
	return most
}

// localBucket is a bucket with its values and counts, as they are written.
type localBucket struct {
	rows   []int32
	values [][]string
}

// write writes lgb.csv, a row a record with the cell of its class, or *n for local bucket
// n of the attribute, and buckets.csv, what is in the buckets. Buckets are numbered by what
// is in them, and by a draw where that is alike.
func (r *localRun) write() error {
	all, last := r.flagged.Table, len(r.flagged.Dicts)-1
	draws := rand.New(r.o.draws("buckets"))
	bags := [][]string{{"attribute", "bucket", "value", "count"}}
	bucket := make([]map[int32]string, last+1) // by attribute, then record
	for j, d := range all.Dicts {
		bucket[j] = map[int32]string{}
		buckets := make([]localBucket, len(r.cut.Buckets[j]))
		for b, at := range draws.Perm(len(buckets)) {
			rows := r.cut.Buckets[j][at]
			buckets[b].rows = rows
			for _, c := range equivclass.BagOf(all.Codes[j], rows).Counts {
				buckets[b].values = append(buckets[b].values, []string{d.Text(c.Code), strconv.Itoa(c.N)})
			}
			slices.SortFunc(buckets[b].values, slices.Compare[[]string])
		}
		slices.SortStableFunc(buckets, func(a, b localBucket) int {
			return slices.CompareFunc(a.values, b.values, slices.Compare[[]string])
		})
		for n, b := range buckets {
			for _, c := range b.values {
				bags = append(bags, []string{d.Attribute().Name, strconv.Itoa(n + 1), c[0], c[1]})
			}
			for _, row := range b.rows {
				bucket[j][row] = "*" + strconv.Itoa(n+1)
			}
		}
	}
	about := &about{Semi: map[string]semi{}, Classes: len(r.cut.Groups)}
	for i, p := range r.t.semi {
		about.Semi[r.t.Schema.Attributes()[i].Name] = p
	}
	classes := make([][][]string, len(r.cut.Groups))
	for i, g := range r.cut.Groups {
		about.Records += len(g)
		cells := make([]string, last+1)
		for j, d := range all.Dicts {
			if r.cut.Flags[i]>>j&1 == 0 {
				cells[j] = query.CellOf(d, gather(all.Codes[j], g)).Text(d)
			}
		}
		for _, row := range g {
			of := slices.Clone(cells)
			for j := range of {
				if n, ok := bucket[j][row]; ok {
					of[j] = n
				}
			}
			classes[i] = append(classes[i], of)
		}
	}
	return r.o.writeFiles(about, sheetFile{"lgb.csv", ordered(append(namesOf(all), "class"), classes)}, sheetFile{"buckets.csv", bags})
}
