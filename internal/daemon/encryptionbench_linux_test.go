package daemon

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
)

// BenchmarkEncryption is what encryption at rest costs of the throughput: records/s
// outside the release work without and with a key, of the same topic in the same run,
// in turns, and the ratio of the processor time of whole runs. Three of each are added up.
func BenchmarkEncryption(b *testing.B) {
	c := benchCluster(b, benchRecords)
	for b.Loop() {
		var rates [2]float64
		var cpu [2]time.Duration
		for range 3 {
			for i, key := range []string{"", strings.Repeat("ab", 32)} {
				cfg := benchLoad(b, c, benchRecords/2, config.L2)
				cfg.Encryption.Key = config.NewSecret(key)
				s := segments{began: time.Now()}
				used := processorTime()
				require.NoError(b, Run(context.Background(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true,
					Observe: func(r ingest.Report) { s.observe(r, benchRecords/2) }}))
				cpu[i] += processorTime() - used
				rates[i] += float64(s.records) / s.reading.Seconds() / 3
			}
		}
		b.ReportMetric(rates[0], "clear-records/s")
		b.ReportMetric(rates[1], "encrypted-records/s")
		b.ReportMetric(rates[1]/rates[0], "share")
		b.ReportMetric(cpu[1].Seconds()/cpu[0].Seconds(), "cpu-ratio")
	}
	b.ReportMetric(0, "ns/op")
}
