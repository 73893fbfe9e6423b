// Package hierarchies makes hierarchies from lists of codes, in the format of ARX: one line a
// code, leaf;level1;...;*.
//
// Guarantee: the output is one tree, which equivclass.ParseHierarchy accepts (the command
// reads it back), with one line for each different code, in the order of their bytes. A
// fault names the line, never the code: codes may come from records.
//
// Method: each level is a function of the code that depends on what the level below it
// gives, so that equal labels have equal labels above them.
package hierarchies

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"anond/equivclass"
	"anond/internal/csvfields"
)

// Kind is a way to roll codes up.
type Kind struct {
	// Levels are the labels of a code, from the most special to the most general one,
	// without the root.
	Levels func(code string) ([]string, error)
	// Spellings that have one fold (equivclass.Fold) are one code: its leaf is the fold
	// where there are several, or where it ends in a hyphen, as its category does.
	Spellings bool
}

// errCode: a line holds no code of the kind that was asked for.
var errCode = errors.New("cannot be rolled up")

// longest bounds a line.
const longest = 1 << 16

// Write reads a code a line and writes the hierarchy. skipHeader leaves the first line out;
// of a line with separators the first field counts. folded are the leaves that are folds.
func Write(to io.Writer, from io.Reader, name string, skipHeader bool, kind Kind) (leaves, folded int, err error) {
	codes, err := read(from, name, skipHeader)
	if err != nil {
		return 0, 0, err
	}
	if kind.Spellings {
		codes, folded = joined(codes)
	}
	out := bufio.NewWriter(to)
	above, leaf := map[string]string{}, map[string]bool{}
	for _, c := range codes {
		leaf[c.text] = true
	}
	for _, c := range codes {
		path, err := kind.Levels(c.as)
		if err != nil {
			return 0, 0, fmt.Errorf("%s:%d: %w", name, c.line, err)
		}
		path = append(append([]string{c.text}, path...), "*")
		for i, label := range path[:len(path)-1] {
			rest := strings.Join(path[i+1:], ";")
			if before, known := above[label]; known && before != rest || i > 0 && leaf[label] {
				return 0, 0, fmt.Errorf("%s:%d: the code, or what it is rolled up to, is also another level of another code", name, c.line)
			}
			above[label] = rest
		}
		line := csvfields.Append(nil, path[0], ';')
		for _, label := range path[1:] {
			line = csvfields.Append(append(line, ';'), label, ';')
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return 0, 0, err
		}
	}
	return len(codes), folded, out.Flush()
}

// code is a code, as a leaf and as its first line has it.
type code struct {
	text, as string
	line     int
	folded   bool
}

// joined are codes of which each stands once, in whichever spelling.
func joined(codes []code) (out []code, folded int) {
	at := map[string]int{}
	for _, c := range codes {
		fold := string(equivclass.Fold([]byte(c.text)))
		i, seen := at[fold]
		if !seen {
			i, at[fold] = len(out), len(out)
			out = append(out, c)
		}
		if o := &out[i]; !o.folded && (seen || strings.HasSuffix(c.text, "-")) {
			o.text, o.folded = fold, true
			folded++
		}
	}
	slices.SortFunc(out, func(a, b code) int { return strings.Compare(a.text, b.text) })
	return out, folded
}

// read reads the different codes, sorted.
func read(from io.Reader, name string, skipHeader bool) ([]code, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longest)
	first := map[string]int{}
	split := csvfields.Splitter{Delimiter: ';'}
	for n := 1; lines.Scan(); n++ {
		fields, fault := split.Fields(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if n == 1 && skipHeader {
			continue
		}
		if fault != csvfields.None {
			return nil, fmt.Errorf("%s:%d: the line is no record of CSV, %s: %w", name, n, fault, errCode)
		}
		text := string(bytes.TrimSpace(fields[0]))
		if text == "" {
			continue
		}
		if why := unfit(text); why != "" {
			return nil, fmt.Errorf("%s:%d: the code %s: %w", name, n, why, errCode)
		}
		if first[text] == 0 {
			first[text] = n
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(first) == 0 {
		return nil, fmt.Errorf("%s: there is no code in it: give one a line", name)
	}
	var out []code
	for text, line := range first {
		out = append(out, code{text: text, as: text, line: line})
	}
	slices.SortFunc(out, func(a, b code) int { return strings.Compare(a.text, b.text) })
	return out, nil
}

// unfit says why a text can be no leaf.
func unfit(text string) string {
	_, why := equivclass.Text{Exact: true}.Clean([]byte(text))
	switch {
	case why != equivclass.Accepted:
		return fmt.Sprintf("can be no value (%s)", why)
	case text == "*":
		return "is the root"
	case strings.ContainsAny(text[:1], "[{*"), strings.ContainsAny(text, "|}"):
		return "begins with [, { or *, or contains | or }, as the cells of releases do"
	}
	return ""
}

// Prefixes rolls a code up to its first characters and a suffix, by which a shortened code
// differs from codes of that length: 8001 with 3 and 1 to 800* and 8*.
func Prefixes(lengths []int, suffix string) (Kind, error) {
	for i, n := range lengths {
		if n < 1 || i > 0 && n >= lengths[i-1] {
			return Kind{}, fmt.Errorf("the lengths are %v: give positive ones, each below the one before, such as 3,1", lengths)
		}
	}
	return Kind{Levels: func(code string) (out []string, _ error) {
		runes := []rune(code)
		for _, n := range lengths {
			if n <= len(runes) {
				out = append(out, string(runes[:n])+suffix)
			}
		}
		return out, nil
	}}, nil
}

// Dates rolls YYYY-MM-DD up to month, year and decade.
var Dates = Kind{Levels: func(code string) ([]string, error) {
	d, err := time.Parse(time.DateOnly, code)
	if err != nil {
		return nil, fmt.Errorf("%w: it is no date YYYY-MM-DD", errCode)
	}
	return []string{d.Format("2006-01"), d.Format("2006"), fmt.Sprintf("%d0s", d.Year()/10)}, nil
}}
