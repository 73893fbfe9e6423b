package dialect

import "bytes"

// Container is what an input is if it is no plain text.
type Container string

// The containers.
const (
	Text    Container = ""
	Excel   Container = "excel"
	Parquet Container = "parquet"
	Gzip    Container = "gzip"
	Zip     Container = "zip"
	Other   Container = "other"  // a known kind of file that is neither text nor one of these
	Framed  Container = "framed" // messages of a schema registry
	Binary  Container = "binary"
)

const (
	asCSV  = "save it as CSV in UTF-8"
	unpack = "unpack it"
)

// magics are what files begin with. The first that fits counts.
var magics = []struct {
	begin, holds string // holds: somewhere in what is looked at
	kind         Container
	what, do     string
}{
	{"PK\x03\x04", "xl/", Excel, "an Excel workbook (.xlsx)", asCSV},
	{"PK\x03\x04", "opendocument.spreadsheet", Excel, "a spreadsheet (.ods)", asCSV},
	{"PK\x03\x04", "", Zip, "a ZIP archive", unpack},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", Excel, "an Excel workbook (.xls)", asCSV},
	{"PAR1\x15", "", Parquet, "a Parquet file", "write it as CSV or NDJSON"},
	{"\x1f\x8b", "", Gzip, "packed with gzip", "give it a name that ends in .gz, or unpack it"},
	{"\x28\xb5\x2f\xfd", "", Other, "packed with zstd", unpack},
	{"BZh", "1AY&SY", Other, "packed with bzip2", unpack},
	{"\xfd7zXZ\x00", "", Other, "packed with xz", unpack},
	{"Obj\x01", "", Other, "an Avro file", "write it as NDJSON"},
	{"ARROW1\x00", "", Other, "an Arrow file", asCSV},
	{"ORC", "\x00", Other, "an ORC file", asCSV},
	{"$FL2", "", Other, "an SPSS file", asCSV},
	{"$FL3", "", Other, "an SPSS file", asCSV},
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60", "", Other, "a SAS file", asCSV},
	{"<stata_dta>", "", Other, "a Stata file", asCSV},
	{"RDX2\n", "", Other, "a file of R's save()", asCSV},
	{"RDX3\n", "", Other, "a file of R's save()", asCSV},
	{"SQLite format 3\x00", "", Other, "an SQLite database", "export the table as CSV"},
	{"%PDF-", "", Other, "a PDF document", asCSV},
}

// IsFramed reports whether a message begins as serializers of a schema registry write it: a zero byte and four bytes of the
// schema's number, which is small in every registry.
func IsFramed(message []byte) bool {
	return len(message) > 5 && message[0] == 0 && (message[1] == 0 || bytes.IndexByte([]byte("{[\""), message[5]) >= 0)
}

// contained says what an input is that is no text, and whether it is one.
func contained(text []byte) (Container, Finding) {
	for _, m := range magics {
		if bytes.HasPrefix(text, []byte(m.begin)) && bytes.Contains(text, []byte(m.holds)) {
			return m.kind, Finding{Of: "container", Why: "is " + m.what, Do: m.do, Fatal: true}
		}
	}
	if !wide(text) && IsFramed(text) {
		return Framed, Finding{Of: "container", Why: "begins with a zero byte and a schema number, as messages of a schema registry do",
			Do: "have the producer, or a converter, write plain JSON", Fatal: true}
	}
	return Text, Finding{}
}

// wide reports whether a text without byte order mark is UTF-16: every second byte of its beginning is zero, mostly.
func wide(text []byte) bool {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return true
	}
	text = text[:min(len(text), 1<<10)&^1]
	var zeros [2]int
	for i, b := range text {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(text) / 2
	return half > 0 && (4*zeros[0] > 3*half && zeros[1] == 0 || 4*zeros[1] > 3*half && zeros[0] == 0)
}
