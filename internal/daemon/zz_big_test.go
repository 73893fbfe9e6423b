package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
	"anond/snapshot"
)

func bigConfig(b *testing.B, dir string) *config.Config {
	text, _, _ := strings.Cut(startConfig, "policy:")
	text = strings.Replace(text, "    - {name: age,", "    - {name: person, role: subject}\n    - {name: age,", 1)
	text += "policy: {k: 10, l: 5, level: L2}\ninitial: {max_records: 100000000}\n"
	text += "release: {dir: ./releases, trigger: {on: interval, every: 1h}}\nstate: {path: ./state/anond.db}\n"
	path := filepath.Join(dir, "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	return c
}

func BenchmarkZZBuild(b *testing.B) {
	dir := os.Getenv("BIGDIR")
	n := 10_000_000
	c := bigConfig(b, dir)
	store, err := boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	m, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	p, err := newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	person := 0
	for r := 0; r < 4; r++ {
		for k := 0; k < 5; k++ {
			rows := levelsRows(n / 20)
			for i := range rows {
				rows[i] = append(equivclass.Row{fmt.Appendf(nil, "person-%d", person)}, rows[i]...)
				person++
			}
			takeIn(b, m, rows)
		}
		waitingRelease(b, m, p)
	}
	require.NoError(b, p.Close())
	require.NoError(b, store.Close())
}

func BenchmarkZZStart(b *testing.B) {
	c := bigConfig(b, os.Getenv("BIGDIR"))
	for b.Loop() {
		var r levelsRun
		r.startWaiting(b, c, 1e7)
		for _, name := range r.names {
			b.ReportMetric(r.took[name], name)
		}
	}
}
