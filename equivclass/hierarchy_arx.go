package equivclass

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"anond/internal/csvfields"
)

// hierarchyLine is a line of a hierarchy file. text is what stands there, path what is read.
type hierarchyLine struct {
	number int
	text   string
	path   []string
	fault  error
}

// hierarchyLines reads the lines of a hierarchy file that are not empty: CSV with semicolons.
//
// ARX writes labels that a release could not tell from its own cells. They are read under another name, which is that of the copy
// in the releases too. A label stays the name of the same set of leaves, so nothing else follows from its name:
//
//   - The last label of all lines, if it is the same, is the root, and `*`: ARX's masks end in `****`.
//   - A label that begins with [, { or *, or has | or }, loses these characters (shownLabel).
//   - A label above other leaves that is also a leaf, on a line that has the leaf as its own generalization, is named LABEL (all).
func hierarchyLines(r io.Reader) (out []hierarchyLine, err error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	split := csvfields.Splitter{Delimiter: ';'}
	for number := 1; scanner.Scan(); number++ {
		text := scanner.Text() // without the line break, CRLF too
		if number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text == "" {
			continue
		}
		l := hierarchyLine{number: number, text: text, path: []string{""}}
		switch fields, fault := split.Fields([]byte(text)); {
		case fault != csvfields.None && !strings.Contains(text, "\r"):
			l.fault = errors.New("the line is no record of CSV: " + string(fault))
		case fault != csvfields.None:
			l.path = strings.Split(text, ";") // what it is refused for is the control character
		default:
			l.path = l.path[:0]
			for _, f := range fields {
				l.path = append(l.path, string(f))
			}
		}
		out = append(out, l)
	}
	showLabels(out)
	return out, scanner.Err()
}

// showLabels gives labels names that releases can show.
func showLabels(lines []hierarchyLine) {
	root, own, above := rootOf(lines), map[string]bool{}, map[string]bool{}
	for _, l := range lines {
		own[l.path[0]] = own[l.path[0]] || len(l.path) > 2 && l.path[1] == l.path[0]
		for _, label := range l.path[1:] {
			if label != l.path[0] {
				above[label] = true
			}
		}
	}
	for _, l := range lines {
		leaf := l.path[0]
		for i := 1; i < len(l.path); i++ {
			switch label := l.path[i]; {
			case label == root && root != "":
				l.path[i] = rootLabel
			case own[label] && above[label]:
				l.path[i] = label + " (all)"
			case label != leaf && label != rootLabel:
				l.path[i] = shownLabel(label)
			}
		}
	}
}

// rootOf is the last label of all lines; empty: they have none in common, or there is one line alone.
func rootOf(lines []hierarchyLine) (root string) {
	for i, l := range lines {
		last := l.path[len(l.path)-1]
		if len(l.path) < 2 || i > 0 && last != root {
			return ""
		}
		root = last
	}
	if len(lines) < 2 {
		return ""
	}
	return root
}

// shownLabel is a label without what looks like a cell of a release: [15, 20[ is 15-19, {a, b} is a, b, and **01 is ##01.
func shownLabel(label string) string {
	label = strings.TrimSpace(label)
	if label == rootLabel || CheckCategory(label) == nil {
		return label
	}
	if out, ok := intervalLabel(label); ok {
		return out
	}
	stars := len(label) - len(strings.TrimLeft(label, "*"))
	label = strings.Repeat("#", stars) + strings.TrimLeft(label[stars:], "[{")
	return strings.TrimRight(strings.NewReplacer("|", "/", "}", "").Replace(label), "])")
}

// interval is [low, high[, or with another bracket at its end.
var interval = regexp.MustCompile(`^\[\s*([^,]*?[^\s,])\s*,\s*(.*\S)\s*([])[])$`)

// intervalLabel reads an interval.
func intervalLabel(label string) (string, bool) {
	m := interval.FindStringSubmatch(label)
	if m == nil {
		return "", false
	}
	low, high, open := m[1], m[2], m[3] != "]"
	_, notLow := strconv.Atoi(low)
	last, notHigh := strconv.Atoi(high)
	switch whole := notLow == nil && notHigh == nil; {
	case whole && open:
		return fmt.Sprintf("%s-%d", low, last-1), true
	case whole:
		return low + "-" + high, true
	case open:
		return low + " to <" + high, true
	}
	return low + " to " + high, true
}
