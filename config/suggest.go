package config

import (
	"strings"
)

// nearest returns the candidate that a mistyped word most likely meant, or "".
// A word within a third of its length in edits counts as mistyped.
func nearest(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), strings.ToLower(c)); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// edits is the number of letters to insert, delete, change or swap with their
// neighbour to turn a into b (optimal string alignment).
func edits(a, b string) int {
	row := func() []int { return make([]int, len(b)+1) }
	before, last, next := row(), row(), row()
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}

// meant finds the key that an unknown one stands for: one of the same section,
// else one of that name in another section.
func meant(unknown string, known []string) string {
	section, name := splitKey(unknown)
	var siblings []string
	for _, k := range known {
		if s, n := splitKey(k); s == section {
			siblings = append(siblings, n)
		} else if rest, ok := strings.CutPrefix(k, section+"."); ok && section != "" {
			siblings = append(siblings, strings.SplitN(rest, ".", 2)[0])
		} else if section == "" {
			siblings = append(siblings, strings.SplitN(k, ".", 2)[0])
		}
	}
	if n := nearest(name, siblings); n != "" {
		return join(section, n)
	}
	best, common := "", -1
	for _, k := range known {
		if _, n := splitKey(k); n == name && shared(k, unknown) > common {
			best, common = k, shared(k, unknown)
		}
	}
	return best
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func splitKey(key string) (section, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}
