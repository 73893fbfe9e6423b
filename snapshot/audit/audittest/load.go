package audittest

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Load reads a small chain from its published files, as an outsider would, and
// from its members export. It knows the releases of generalization (data.csv) and
// of anatomy (st.csv), and it trusts them: a fault of the files is an error here,
// but no finding.
func Load(releases, members string) (Chain, error) {
	rows, err := readRows(members)
	if err != nil {
		return Chain{}, err
	}
	l := loader{records: map[string]int{}, values: map[string]int{}}
	dirs, err := filepath.Glob(filepath.Join(releases, "[0-9]*"))
	if err != nil {
		return Chain{}, err
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		if err := l.release(dir, rows); err != nil {
			return Chain{}, err
		}
	}
	l.chain.Records, l.chain.Values = len(l.records), len(l.values)
	return l.chain, nil
}

type loader struct {
	records, values map[string]int // their numbers, in order of appearance
	chain           Chain
}

// release adds the release in a directory; members are the rows of the export:
// release, record, part (where there are any) and class.
func (l *loader) release(dir string, members [][]string) error {
	number, err := strconv.Atoi(filepath.Base(dir))
	if err != nil {
		return err
	}
	index := map[string]int{} // place of a class, by its part and number in the files
	var classes []Class
	err = eachClass(dir, func(class, value string, n int) {
		if _, ok := index[class]; !ok {
			index[class] = len(classes)
			classes = append(classes, Class{})
		}
		c := &classes[index[class]]
		c.Bag = append(c.Bag, slices.Repeat([]int{numberOf(l.values, value)}, n)...)
	})
	if err != nil {
		return err
	}
	for _, row := range members {
		if row[0] != strconv.Itoa(number) {
			continue
		}
		i, ok := index[strings.Join(row[2:], "/")]
		if part := row[2]; part == "" {
			i, ok = index[row[3]]
		}
		if !ok {
			return fmt.Errorf("release %d: the members export names a class that the release lacks", number)
		}
		classes[i].Members = append(classes[i].Members, numberOf(l.records, row[1]))
	}
	l.chain.Releases = append(l.chain.Releases, Release{classes})
	return nil
}

// eachClass tells how often each living class of a release shows a sensitive
// value. In a release in parts, a class is named by part and number.
func eachClass(dir string, see func(class, value string, n int)) error {
	var manifest struct {
		Parts []struct {
			Part string
			Dead []int
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return err
	}
	if len(manifest.Parts) == 0 {
		return eachValue(dir, see)
	}
	for _, p := range manifest.Parts {
		err := eachValue(filepath.Join(dir, p.Part), func(class, value string, n int) {
			if number, _ := strconv.Atoi(class); !slices.Contains(p.Dead, number) {
				see(p.Part+"/"+class, value, n)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachValue tells how often each class of a table shows a sensitive value.
func eachValue(dir string, see func(class, value string, n int)) error {
	rows, err := readRows(filepath.Join(dir, "data.csv")) // quasi-identifiers, value, class
	if err == nil {
		for _, row := range rows {
			see(row[len(row)-1], row[len(row)-2], 1)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if rows, err = readRows(filepath.Join(dir, "st.csv")); err != nil { // class, value, count
		return err
	}
	for _, row := range rows {
		n, err := strconv.Atoi(row[2])
		if err != nil {
			return err
		}
		see(row[0], row[1], n)
	}
	return nil
}

// numberOf is the number of a name; a new one gets the next.
func numberOf(numbers map[string]int, name string) int {
	n, ok := numbers[name]
	if !ok {
		n = len(numbers)
		numbers[name] = n
	}
	return n
}

// readRows reads a CSV file without its header.
func readRows(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no header", filepath.Base(path))
	}
	return rows[1:], nil
}
