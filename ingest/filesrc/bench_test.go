package filesrc

import (
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/decode"
)

func benchSchema(b *testing.B) *equivclass.Schema {
	attributes := []equivclass.Attribute{{Name: "patient", Role: equivclass.Subject}}
	for _, name := range []string{"age", "weight", "height", "stay"} {
		attributes = append(attributes, equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 4})
	}
	for _, name := range []string{"postcode", "sex", "type"} {
		attributes = append(attributes, equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Categorical})
	}
	attributes = append(attributes, equivclass.Attribute{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	s, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(b, err)
	return s
}

// benchText has n records of nine fields.
func benchText(layout layout, n int) string {
	var s strings.Builder
	if layout == CSV {
		s.WriteString("patient,age,weight,height,stay,postcode,sex,type,diagnosis\n")
	}
	for i := range n {
		form := "%d,%d,%d.5,%d,%d,%d,%s,%s,%s\n"
		if layout == NDJSON {
			form = `{"patient":%d,"age":%d,"weight":%d.5,"height":%d,"stay":%d,` +
				`"postcode":"%d","sex":"%s","type":"%s","diagnosis":"%s"}` + "\n"
		}
		fmt.Fprintf(&s, form, i, i%90, 40+i%60, 150+i%50, i%14, 1000+i%97, "fm"[i%2:i%2+1], "emergency", "influenza")
	}
	return s.String()
}

// benchmarkRead reads a file through source and decoder, as the loop does.
func benchmarkRead(b *testing.B, layout layout, format decode.Format, decoded bool) {
	const n = 100_000
	text := benchText(layout, n)
	path := write(b, temp(b, "f"), text)
	schema := benchSchema(b)
	d, err := decode.New(format, schema, decode.Options{})
	require.NoError(b, err)
	row := make(equivclass.Row, len(schema.Attributes()))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	spent := cpuTime()
	for b.Loop() {
		src, err := Open(context.Background(), Config{Paths: []string{path}, Layout: layout}, newReading().resume(true))
		require.NoError(b, err)
		got := 0
		for {
			c, err := src.Next(context.Background())
			if err == io.EOF {
				break
			}
			require.NoError(b, err)
			for _, r := range c.Records {
				if r.Passed == "" && (!decoded || d.Decode(r.Value, c.Header, row).Accepted()) {
					got++
				}
			}
		}
		require.Equal(b, n, got)
		require.NoError(b, src.Close())
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64((cpuTime()-spent).Nanoseconds())/float64(n)/float64(b.N), "cpu-ns/record")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkReadNDJSON(b *testing.B)   { benchmarkRead(b, NDJSON, decode.JSON, false) }
func BenchmarkReadCSV(b *testing.B)      { benchmarkRead(b, CSV, decode.CSV, false) }
func BenchmarkDecodeNDJSON(b *testing.B) { benchmarkRead(b, NDJSON, decode.JSON, true) }
func BenchmarkDecodeCSV(b *testing.B)    { benchmarkRead(b, CSV, decode.CSV, true) }
