package dataset

import (
	"fmt"
	"slices"
	"strings"

	"anond/config"
	"anond/incremental"
)

// shownLines is the number of lines that are listed for one file.
const shownLines = 10

// linesOf names the lines of a hierarchy file whose leaf has another path than
// state knows, and the copy of the earlier file.
func linesOf(c *config.Config, e *incremental.GrowthError) string {
	i := slices.IndexFunc(c.Hierarchies, func(h config.HierarchyFile) bool { return h.Attribute == e.Attribute })
	if i < 0 || len(e.Moved)+len(e.Lost) == 0 {
		return ""
	}
	h := c.Hierarchies[i]
	var at []string
	line := 0
	for text := range strings.Lines(string(h.Content)) {
		line++
		leaf, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "\ufeff"), ";")
		if slices.Contains(e.Moved, strings.TrimSpace(leaf)) {
			at = append(at, fmt.Sprintf("%s:%d", h.Path, line))
		}
	}
	said := ""
	if len(at) > shownLines {
		at = append(at[:shownLines], "more")
	}
	if len(at) > 0 {
		said = "; other paths: " + strings.Join(at, ", ")
	}
	return said + fmt.Sprintf("; the copies that releases were made with are in %s/hierarchies", c.Release.Dir)
}
