package decode

import (
	stdjson "encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/pointer"
)

// nested are the pointers of the tests, two of them through one array.
var nested = map[string]string{"age": "/a/b/0/n", "sex": "/a/b/1", "diagnosis": "/x~1y"}

// TestNestedFields: values are found by path, through objects and arrays, and what is not
// there is missing.
func TestNestedFields(t *testing.T) {
	schema := testSchema(t)
	at := map[string]int{}
	for i, a := range schema.Attributes() {
		at[a.Name] = i
	}
	for name := range nested {
		require.Contains(t, at, name)
	}
	for _, format := range []Format{JSON, Debezium} {
		d := newDecoder(t, format, Options{Paths: nested})
		for in, want := range map[string][3]string{
			`{"a":{"b":[{"n":7,"m":8},"f",9]},"x/y":"flu"}`:                         {"7", "f", "flu"},
			`{"x/y":"flu","age":1,"sex":"m","diagnosis":"no","a":{"b":[{}, null]}}`: {"", "", "flu"},
			`{"a":{"b":{"0":{"n":7},"1":"f"}}}`:                                     {"7", "f", ""},
			`{"a":[1,2]}`:                                                           {}, `{"a":"text"}`: {}, `{"a":{"b":[]}}`: {}, `{}`: {},
		} {
			if format == Debezium {
				in = `{"op":"c","after":` + in + `}`
			}
			row := make(equivclass.Row, len(schema.Attributes()))
			require.True(t, d.Decode([]byte(in), nil, row).Accepted(), in)
			assert.Equal(t, want, [3]string{string(row[at["age"]]), string(row[at["sex"]]), string(row[at["diagnosis"]])}, in)
		}
		in := `{"a":{"b":[{"n":{"deeper":1}}]}}`
		if format == Debezium {
			in = `{"op":"c","after":` + in + `}`
		}
		assert.Equal(t, Outcome{Reason: ReasonNested, Attribute: "age"}, d.Decode([]byte(in), nil, make(equivclass.Row, len(at))))
	}
}

// TestPathsThatCannotBe: two attributes in one value, and what is no pointer.
func TestPathsThatCannotBe(t *testing.T) {
	for _, paths := range []map[string]string{{"age": "/sex"}, {"age": "/sex/x"}, {"age": "/a", "sex": "/a/b"}, {"age": "a"}, {"age": ""}} {
		_, err := New(JSON, testSchema(t), Options{Paths: paths})
		assert.ErrorContains(t, err, "path of", paths)
	}
}

// walk follows a pointer in what encoding/json has read.
func walk(x any, steps []string) any {
	for _, s := range steps {
		switch v := x.(type) {
		case map[string]any:
			x = v[s]
		case []any:
			i, err := strconv.Atoi(s)
			if err != nil || i >= len(v) || strconv.Itoa(i) != s {
				return nil
			}
			x = v[i]
		default:
			return nil
		}
	}
	return x
}

// FuzzPaths holds nested values against encoding/json and a walk of its tree.
func FuzzPaths(f *testing.F) {
	for _, in := range []string{`{"a":{"b":[{"n":7},"f"]},"x/y":"flu"}`, `{"a":{"b":{"0":{"n":7},"1":"f"}}}`, `{"a":[]}`,
		`{"a":{"b":[{"n":[]}]}}`,
		`{"a":{"b":[null,"f"],"b":[]}}`, `{"a":{"\u0062":[{"n":null},"f"`, `[1]`} {
		f.Add([]byte(in))
	}
	d := newDecoder(f, JSON, Options{Paths: nested})
	schema := testSchema(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		row := make(equivclass.Row, len(schema.Attributes()))
		got := d.Decode(slices.Clip(in), nil, row)
		if !got.Accepted() {
			return // FuzzJSON judges refusals
		}
		requireClean(t, schema, row)
		var tree any
		require.NoError(t, stdjson.Unmarshal(in, &tree))
		for i, a := range schema.Attributes() {
			steps := []string{a.Name}
			if text, ok := nested[a.Name]; ok {
				steps, _ = pointer.Parse(text)
			}
			value := walk(tree, steps)
			if _, number := value.(float64); number || !needed(a.Role) {
				assert.Equal(t, needed(a.Role), row[i] != nil, a.Name)
				continue // FuzzJSON compares how numbers are written
			}
			want := ""
			switch v := value.(type) {
			case string:
				want = v
			case bool:
				want = strconv.FormatBool(v)
			default:
				require.Nil(t, value, "%s was accepted", a.Name)
			}
			clean, why := a.Clean([]byte(want))
			assert.Equal(t, equivclass.Accepted, why)
			assert.Equal(t, string(clean), string(row[i]), a.Name)
		}
	})
}
