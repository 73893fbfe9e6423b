package decode

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// byTokens is a decoder that never reads an object like the one before.
func byTokens(t testing.TB, opts Options) Decoder {
	d := newDecoder(t, JSON, opts)
	d.(*checkedDecoder).inner.(*jsonDecoder).members.like = nil
	return d
}

// reading is a decoder next to one that reads by tokens alone.
type reading struct {
	fast, slow         Decoder
	toldFast, toldSlow []string
}

func newReading(t testing.TB) *reading {
	r := &reading{}
	r.fast = newDecoder(t, JSON, Options{Suspect: func(member string) { r.toldFast = append(r.toldFast, member) }})
	r.slow = byTokens(t, Options{Suspect: func(member string) { r.toldSlow = append(r.toldSlow, member) }})
	return r
}

// same holds the two against each other: outcome, row and what was told. quick: the text is read as one like that before.
func (r *reading) same(t *testing.T, text []byte) (quick bool) {
	t.Helper()
	inner := r.fast.(*checkedDecoder).inner.(*jsonDecoder)
	inner.members.arena = append(inner.members.arena[:0], "not read by tokens"...)
	got, want := make(equivclass.Row, 9), make(equivclass.Row, 9)
	require.Equal(t, r.slow.Decode(text, nil, want), r.fast.Decode(slices.Clip(text), nil, got), "%q", text)
	require.Equal(t, show(want), show(got), "%q", text)
	require.Equal(t, r.toldSlow, r.toldFast, "%q", text)
	return string(inner.members.arena) == "not read by tokens"
}

// alike are objects with the members of the first: quick says which of them are read without tokens.
var alike = []struct {
	text  string
	quick bool
}{
	{benchJSON, false},
	{benchJSON, true},
	{` {"name" : "Ö" , "patient":"p-2","age":-0.5e+10,"weight":1E3,"admitted":"","postcode":null,` +
		`"sex":true,"note":false,"diagnosis":"flü"} ` + "\r\n\t", true},
	{`{"patient":007,"age":1}`, false},
	{`{"patient":7.0,"age":1}`, true}, // some of the members
	{`{"age":1,"patient":"p"}`, false},
	{`{"age":1,"patient":"p"}`, true},
	{`{"patient":"p","age":1}`, false},
	{`{"patient":"p","age":1,"age":2}`, false},
	{`{"patient":"p","patient":"q"}`, false},
	{`{"patient":"p",}`, false},
	{`{"patient":"p"`, false},
	{`{"patient":"p"}}`, false},
	{`{"patient":"p"} x`, false},
	{`{"patient":"p","age":01}`, false},
	{`{"patient":"p","age":1.}`, false},
	{`{"patient":"p","age":.1}`, false},
	{`{"patient":"p","age":-}`, false},
	{`{"patient":"p","age":1e}`, false},
	{`{"patient":"p","age":nul}`, false},
	{`{"patient":"p","age":nullx}`, false},
	{`{"patient":"p" "age":1}`, false},
	{`{"patient" "p"}`, false},
	{`{"patient":"a` + "\n" + `b"}`, false},
	{`{"patient":"` + "\xff" + `"}`, false},
	{`{"patient":"\u00e9","age":1}`, false},
	{`{"patient":"p","age":[1]}`, false},
	{`{"patient":"p","age":1}`, true},
	{`{"patient":"p","x":[1],"age":1}`, false},
	{`{"patient":"p","age":1}`, false}, // behind one with an array nothing is known
	{`{"patient":"p","age":1}`, true},
	{`{"patient":"p","age":1,"op":"c"}`, false},
	{`{"patient":"p","age":1,"op":"c"}`, false}, // told each time
	{`{"patient":"p","\u0061ge":1}`, false},
	{`{"patient":"p","age":1}`, true}, // a name is what it stands for
	{`{"patient":"p","a\"b":1}`, false},
	{`{"patient":"p","a"b":1}`, false},
	{`{}`, false},
	{`{}`, false},
	{"", false},
	{"{", false},
}

// TestObjectsLikeTheOneBefore: rows, reasons and what is told are those of the reader by tokens, and what most records are is
// read without it.
func TestObjectsLikeTheOneBefore(t *testing.T) {
	r := newReading(t)
	for i, o := range alike {
		require.Equal(t, o.quick, r.same(t, []byte(o.text)), fmt.Sprint(i, " ", o.text))
	}
}

// TestMembersByPathAreNotTakenFromTheObjectBefore, where they lie deeper than that.
func TestMembersByPathAreNotTakenFromTheObjectBefore(t *testing.T) {
	opts := Options{Paths: map[string]string{"sex": "/x/sex"}}
	fast, slow := newDecoder(t, JSON, opts), byTokens(t, opts)
	for _, text := range []string{`{"age":1,"x":2}`, `{"age":1,"x":2}`,
		`{"age":1,"x":{"sex":"f"}}`, `{"age":1,"x":"f"}`, `{"age":1,"sex":"f"}`} {
		got, want := make(equivclass.Row, 9), make(equivclass.Row, 9)
		require.Equal(t, slow.Decode([]byte(text), nil, want), fast.Decode([]byte(text), nil, got))
		require.Equal(t, show(want), show(got), text)
	}
}

// FuzzLikeBefore holds the two readers against each other on texts, lines of the input, of which each has one before it.
func FuzzLikeBefore(f *testing.F) {
	var all [][]byte
	for _, o := range alike {
		all = append(all, []byte(o.text))
	}
	for i := range all[1:] {
		f.Add(bytes.Join(all[i:i+2], []byte("\n")))
	}
	f.Add(bytes.Join(all, []byte("\n")))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newReading(t)
		for _, text := range bytes.Split(in, []byte("\n")) {
			r.same(t, text)
			r.same(t, text)
		}
	})
}
