package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFlatFeed: inserts, updates and deletes of forty people. As plain records they are 120 people, of which anond warns; as
// change events they are forty.
func TestFlatFeed(t *testing.T) {
	var feed strings.Builder
	for _, op := range []string{"c", "u", "d"} {
		for i := range 40 {
			fmt.Fprintf(&feed, `{"age":%d,"sex":"F","postcode":"1101","admission":"planned","diagnosis":"d%d","__op":"%s","__deleted":"%t"}`+"\n",
				20+i, i%4, op, op == "d")
		}
	}
	for format, refused := range map[string]int{"json": 0, "debezium-flat": 80} {
		s := newSite(t, "{type: file, format: "+format+", file: {path: in.json}}", "on: records, every: 400", "")
		s.edit("    - {name: patient, role: subject}\n", "    - {name: patient, role: drop}\n")
		s.write("in.json", feed.String())
		r := s.run("run", "--once")
		require.Equal(t, exitOK, r.code, r.stderr)
		c := s.counts().Counts
		require.Equal(t, refused, int(c.Refused["unsupported_operation"]))
		require.Equal(t, 120-refused, c.Published+c.Pending.Total())
		require.Equal(t, map[string]int{"json": 1}[format], strings.Count(r.stderr, `"event":"change_events","member":"__op"`), r.stderr)
	}
}
