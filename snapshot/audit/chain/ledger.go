package chain

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"anond/snapshot/audit/format"
)

// ParseLedger reads one line for each release, by which it was sealed when it had passed the gate. A last line without
// LF is torn: a crash cut its append, and it is not read.
func ParseLedger(file string, data []byte) (lines map[int]format.Seal, torn bool, err error) {
	lines, last := map[int]format.Seal{}, 0
	rows := bytes.Split(data, []byte("\n"))
	for i, row := range rows[:len(rows)-1] {
		n, line, ok := parseSeal(strings.Split(string(row), " "))
		switch {
		case !ok:
			return nil, false, format.Unreadable(file, i+1, "does not seal a release")
		case n <= last:
			return nil, false, format.Unreadable(file, i+1, "release numbers do not increase")
		}
		last, lines[n] = n, line
	}
	return lines, len(rows[len(rows)-1]) > 0, nil
}

// parseSeal reads the words of a line: 7 SHA parts SHA algorithm 10 people 1200 digests 1300.
func parseSeal(words []string) (release int, s format.Seal, ok bool) {
	names := []string{"parts", "algorithm", "people", "digests"}
	if len(words) != 2+2*len(names) || !format.IsSHA(words[1]) || !format.IsSHA(words[3]) {
		return 0, s, false
	}
	s.Manifest, s.Parts = words[1], words[3]
	numbers := []struct {
		to   *int
		word int
	}{{&release, 0}, {&s.Algorithm, 5}, {&s.People, 7}, {&s.Digests, 9}}
	for _, x := range numbers {
		if *x.to, ok = number(words[x.word]); !ok {
			return 0, s, false
		}
	}
	for i, name := range names {
		if words[2+2*i] != name {
			return 0, s, false
		}
	}
	return release, s, release > 0
}

// number reads a number without a sign and without a zero that could be left out.
func number(word string) (int, bool) {
	n, err := strconv.Atoi(word)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == word
}

// Noted says that a replay of all decisions up to a release found no difference (audit --replay).
type Noted struct {
	Release   int    `json:"release"`
	Algorithm int    `json:"algorithm"` // of the program that made it
	Cuts      int    `json:"cuts"`      // which it made again
	Worlds    int    `json:"worlds"`
	At        string `json:"at"`
	Manifest  string `json:"-"` // of the release
}

// ParseReplays reads what is noted of replays, a line each: 7 SHA algorithm 10 cuts 30 worlds 5 at 2026-11-27T08:00:00Z.
func ParseReplays(file string, data []byte) (out []Noted, err error) {
	text, whole := strings.CutSuffix(string(data), "\n")
	if !whole {
		return nil, format.Unreadable(file, 1, "does not end with a line break")
	}
	for i, row := range strings.Split(text, "\n") {
		words := strings.Split(row, " ")
		if len(words) != 10 || words[2] != "algorithm" || words[4] != "cuts" || words[6] != "worlds" || words[8] != "at" {
			return nil, format.Unreadable(file, i+1, "does not note a replay")
		}
		n := Noted{Manifest: words[1], At: words[9]}
		_, err := time.Parse(time.RFC3339, n.At)
		ok := err == nil && format.IsSHA(n.Manifest)
		for word, to := range map[int]*int{0: &n.Release, 3: &n.Algorithm, 5: &n.Cuts, 7: &n.Worlds} {
			v, whole := number(words[word])
			*to, ok = v, ok && whole
		}
		if !ok {
			return nil, format.Unreadable(file, i+1, "does not note a replay")
		}
		out = append(out, n)
	}
	return out, nil
}
