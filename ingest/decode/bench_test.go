package decode

import (
	"testing"

	"anond/equivclass"
)

// The records of the benchmarks have nine fields, as the hospital stream has.
const (
	benchJSON = `{"name":"Ann Other","patient":"p-1000017","age":44,"weight":75.5,"admitted":"2022-01-08",` +
		`"postcode":"1010","sex":"f","note":"n","diagnosis":"influenza"}`
	benchCSV = `Ann Other,p-1000017,44,75.5,2022-01-08,1010,f,n,influenza`
)

func benchmarkDecoder(b *testing.B, f Format, in string) {
	benchmarkOf(b, newDecoder(b, f, Options{}), in)
}

func benchmarkOf(b *testing.B, d Decoder, in string) {
	row := make(equivclass.Row, 9)
	value := []byte(in)
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		if !d.Decode(value, nil, row).Accepted() {
			b.Fatal("refused")
		}
	}
}

func BenchmarkDecodeJSON(b *testing.B) { benchmarkDecoder(b, JSON, benchJSON) }
func BenchmarkDecodeJSONByTokens(b *testing.B) {
	benchmarkOf(b, byTokens(b, Options{}), benchJSON)
}
func BenchmarkDecodeCSV(b *testing.B) { benchmarkDecoder(b, CSV, benchCSV) }
func BenchmarkDecodeCSVQuoted(b *testing.B) {
	benchmarkDecoder(b, CSV, `"Other, Ann","p-1000017","44","75.5","2022-01-08","1010","f","n","so-called ""flu"""`)
}
func BenchmarkDecodeDebezium(b *testing.B) {
	benchmarkDecoder(b, Debezium, `{"before":null,"after":`+benchJSON+
		`,"source":{"version":"3","connector":"postgresql","db":"h","table":"t","lsn":24023128},"op":"c","ts_ms":1700000000000}`)
}
