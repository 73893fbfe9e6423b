package warehouse

import (
	"bytes"
	"context"
	"encoding/csv"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// TestRealReleases: of every recoding, each snapshot has the rows that `anond release cat`
// writes, and no class of a regrouped record twice.
func TestRealReleases(t *testing.T) {
	tier.NotShort(t, "it runs the program")
	for _, recoding := range laketest.Recodings[:tier.Of(t, 0, 4, len(laketest.Recodings))] {
		t.Run(recoding.String(), func(t *testing.T) {
			site := laketest.New(t, recoding)
			site.Publish(tier.Of(t, 4, 4, 13)) // ten parts become one
			chain, err := source.Open(snapshot.OS(), site.Releases)
			require.NoError(t, err)
			w := &Warehouse{Files: snapshot.OS(), Dir: filepath.Join(site.Dir, "warehouse")}
			require.NoError(t, w.Add(context.Background(), chain))
			r, err := chain.Release(0)
			require.NoError(t, err)
			tables, err := r.Tables()
			require.NoError(t, err)
			for _, tab := range tables {
				rows, err := tableRows(snapshot.OS(), filepath.Join(w.Dir, "clinic", tab.Name))
				require.NoError(t, err)
				require.Len(t, rows, int(chain.Newest()))
				for n := range rows {
					if n%4 != 1 && uint32(n) != chain.Newest() { // a process for each
						continue
					}
					assert.Equal(t, catCells(t, site.Cat(uint32(n), tab.Name), tab), cells(rows[n], tab), "release %d, %s", n, tab.Name)
				}
			}
		})
	}
}

// cells are rows without numbers of classes and buckets, and without bounds.
func cells(rows []string, tab *source.Table) (out []string) {
	for _, row := range rows {
		var keep []string
		for i, text := range strings.Split(row, ";") {
			if tab.Columns[i].Kind == source.Text {
				keep = append(keep, text)
			}
		}
		out = append(out, strings.Join(keep, ";"))
	}
	slices.Sort(out)
	return out
}

func catCells(t *testing.T, text []byte, tab *source.Table) (out []string) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	var texts []int
	field := 0
	for _, c := range tab.Columns {
		if strings.HasSuffix(c.Name, "_lower") || strings.HasSuffix(c.Name, "_upper") {
			continue // bounds
		}
		if c.Kind == source.Text {
			texts = append(texts, field)
		}
		field++
	}
	for _, row := range rows[1:] {
		var keep []string
		for _, i := range texts {
			keep = append(keep, row[i])
		}
		out = append(out, strings.Join(keep, ";"))
	}
	slices.Sort(out)
	return out
}
