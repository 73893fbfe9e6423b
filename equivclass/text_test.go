package equivclass

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"flu", "flu"}, {"", ""}, {" \t\r\n\u00a0\u3000", ""}, {" flu\n", "flu"}, {"\u2003flu\u0085", "flu"},
		{"heart  attack", "heart attack"}, {"heart\u00a0\u2009attack", "heart attack"},
		{"e\u0301", "\u00e9"}, {"\u212b", "\u00c5"}, {"\u1100\u1161\u11a8", "\uac01"}, {"q\u0323\u0307", "q\u0323\u0307"},
		{"q\u0307\u0323", "q\u0323\u0307"},
		{"\ufb01", "\ufb01"}, // compatibility characters are not those that they look like
		{"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"}, // Persian needs its joiners
		{"\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"}, {"\u2764\ufe0f", "\u2764\ufe0f"},
		{"M\ufffdller", "M\ufffdller"}, // another program's replacement for what it could not read, but a character
	} {
		got, why := Text{}.Clean([]byte(c.raw))
		assert.Equal(t, Accepted, why, "%q", c.raw)
		assert.Equal(t, c.want, string(got), "%q", c.raw)
	}
	for why, raws := range map[Reason][]string{
		ReasonControl: {"a\nb", "a\rb", "a\x00b", "a\tb", "\x1b[0m", "a\x7f", "a\u0085b", "\u009f", "a\u2028b", "a\u2029b"},
		ReasonInvisible: {"flu\u200b", "\ufefflu", "fl\u00adu", "flu\u200e", "\u202eulf", "\u2066flu\u2069", "flu\u200d", "f\u200clu",
			"\u00e9\ufe0fx", "\u0645\u200c", "\U000e0041", "\u3164"},
		ReasonUTF8: {"\xff", "a\xc3", "\xed\xa0\x80", "flu \xff "},
		ReasonTooLong: {strings.Repeat("x", 1025), strings.Repeat("\u00e9", 513), strings.Repeat("x", 900_000),
			"a" + strings.Repeat(" ", 4095) + "b"},
	} {
		for _, raw := range raws {
			got, is := Text{}.Clean([]byte(raw))
			assert.Equal(t, why, is, "%.20q", raw)
			assert.Nil(t, got)
		}
	}
}

// TestCleanAsWritten: an attribute may take texts as they are, but not what no
// release could show.
func TestCleanAsWritten(t *testing.T) {
	exact := Text{Exact: true}
	for _, raw := range []string{" flu ", "e\u0301", "a  b", "a\u00a0b", " "} {
		got, why := exact.Clean([]byte(raw))
		assert.Equal(t, Accepted, why)
		assert.Equal(t, raw, string(got))
	}
	for raw, want := range map[string]Reason{"flu\n": ReasonControl, "flu\u200b": ReasonInvisible, "\xff": ReasonUTF8,
		strings.Repeat("x", 1025): ReasonTooLong} {
		_, why := exact.Clean([]byte(raw))
		assert.Equal(t, want, why)
	}
	long := Text{MaxLength: 3000}
	_, why := long.Clean(bytes.Repeat([]byte("x"), 3000))
	assert.Equal(t, Accepted, why)
	_, why = long.Clean(bytes.Repeat([]byte("x"), 3001))
	assert.Equal(t, ReasonTooLong, why)
	// The bound is of the value, however it was written.
	got, why := Text{MaxLength: 3}.Clean([]byte("  \u1100\u1161\u11a8  "))
	assert.Equal(t, Accepted, why)
	assert.Len(t, got, 3)
}

// TestInvisible compares the shortcuts with the tables.
func TestInvisible(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
			unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		if want != invisible(r) {
			t.Errorf("%U", r)
		}
		if !utf8.ValidRune(r) {
			continue
		}
		control := unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp)
		if (checkRunes([]byte("a"+string(r)+"a")) == ReasonControl) != control {
			t.Errorf("%U", r)
		}
	}
}

func TestCleanCostsNothing(t *testing.T) {
	for _, text := range []string{"influenza", " influenza ", "grippe \u00e0 virus", "\u6d41\u611f"} {
		raw := []byte(text)
		assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = Text{}.Clean(raw) }), "%q", text)
	}
}

// TestRestoreTakesWhatStateKept: a state that was made under other rules loads with
// the values it has, each once.
func TestRestoreTakesWhatStateKept(t *testing.T) {
	d := NewDictionary(Attribute{Name: "ill", Type: Categorical})
	for _, text := range []string{"flu", "flu ", "a\nb", "\xff", strings.Repeat("x", 9999), "", "|"} {
		require.NoError(t, d.Restore(text))
		require.EqualError(t, d.Restore(text), `dictionary of attribute "ill": entry `+strconv.Itoa(d.Len())+` does not fit the schema`)
		require.Equal(t, text, d.Text(Code(d.Len()-1)))
	}
	tree, err := ParseHierarchy("t", strings.NewReader("a;*"))
	require.NoError(t, err)
	for _, a := range []Attribute{{Type: Categorical, Hierarchy: tree}, {Type: Integer, Role: Sensitive, Buckets: []int64{0, 10}}} {
		require.Error(t, NewDictionary(a).Restore("a"))
		require.Error(t, NewDictionary(a).Restore("5"))
	}
	d = NewDictionary(Attribute{Type: Integer})
	require.NoError(t, d.Restore("5"))
	require.Error(t, d.Restore("5"))
	require.Error(t, d.Restore("5.5"))
}

// FuzzClean: a value is one line that can be seen, its own normalization, and
// found again by it; a dictionary never holds two texts of one value.
func FuzzClean(f *testing.F) {
	for _, text := range []string{" flu\u00a0", "e\u0301\u200d", "a\u2028b", "\xff", "\u1100\u1161\u11a8", "\u00a0\u200db", "\u2000 \u2001",
		"a\u037e", "x\u0344", "\u202e|", "{a"} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, exact bool) {
		rule, raw := Text{Exact: exact}, []byte(text)
		d := NewDictionary(Attribute{Name: "ill", Type: Categorical, Text: rule})
		clean, why := rule.Clean(raw)
		assert.Equal(t, text, string(raw), "the text must not be changed")
		_, found, refused := d.Find(raw)
		require.False(t, found)
		if why != Accepted {
			require.Equal(t, why, refused)
			return
		}
		require.True(t, utf8.Valid(clean))
		require.LessOrEqual(t, len(clean), DefaultMaxLength)
		require.False(t, bytes.ContainsFunc(clean, func(r rune) bool {
			return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
		}))
		again, why := rule.Clean(clean)
		require.Equal(t, Accepted, why)
		require.Equal(t, string(clean), string(again))
		if exact {
			require.Equal(t, text, string(clean))
		} else {
			require.True(t, norm.NFC.IsNormal(clean))
			require.Equal(t, strings.TrimSpace(string(clean)), string(clean))
		}
		if refused != Accepted {
			return
		}
		code, _ := d.Encode(raw)
		for _, spelling := range [][]byte{raw, clean} {
			got, found, why := d.Find(spelling)
			require.True(t, found && why == Accepted && got == code)
		}
		require.Equal(t, string(clean), d.Text(code))
		var fresh = NewDictionary(d.Attribute())
		require.NoError(t, fresh.Restore(d.Text(code)))
		require.Error(t, fresh.Restore(d.Text(code)), "one entry a value")
	})
}

// TestFoldsAreOneValue: spellings of a code are one value, shown as its fold, whichever
// comes first.
func TestFoldsAreOneValue(t *testing.T) {
	for text, want := range map[string]string{"E11.9": "E119", "e119": "E119", "E11\u20139": "E119", "E 11. 9": "E119",
		"Stra\u00dfe": "STRA\u00dfE",
		"\u00e9":      "\u00c9", "e\u0301": "\u00c9", "-": "-", ". .": ". .", "\u212a": "K", "+": "+", "E11.9+": "E119+"} {
		clean, why := Text{Folded: true}.Clean([]byte(text))
		require.Equal(t, Accepted, why)
		require.Equal(t, want, string(clean), text)
		again := Fold(clean)
		require.Equal(t, want, string(again), text)
	}
	spellings := []string{"E11.9", "E119", "e11-9", " E11 9 "}
	for first := range spellings {
		d := NewDictionary(Attribute{Type: Categorical, Text: Text{Folded: true}})
		plain := NewDictionary(Attribute{Type: Categorical})
		for i := range spellings {
			code, why := d.Encode([]byte(spellings[(first+i)%4]))
			require.Equal(t, []any{Code(0), Accepted}, []any{code, why})
			_, _ = plain.Encode([]byte(spellings[(first+i)%4]))
		}
		require.Equal(t, "E119", d.Text(0))
		require.Equal(t, []int{0, 3}, []int{d.Twins(), plain.Twins()})
	}
	_, why := Text{Folded: true, MaxLength: 2}.Clean([]byte("\u0250"))
	require.Equal(t, ReasonTooLong, why, "a fold may be longer")
}

// TestFoldedHierarchies: leaves that differ only by their spelling are one if they have one
// path; labels stay, even where one folds to a leaf.
func TestFoldedHierarchies(t *testing.T) {
	folded := Text{Folded: true}
	const file = "E11.9;E11.-;E00-E90;*\nE119;E11.-;E00-E90;*\nE11;E11.-;E00-E90;*\nI10.;I10.;I10.-;*\n"
	h, err := folded.ParseHierarchy("icd.csv", strings.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, 3, h.Leaves())
	c, found := h.Leaf([]byte("E119"))
	require.True(t, found)
	require.Equal(t, "E11.-", h.Label(h.Parent(int(c))))
	content := folded.NormalizeHierarchy([]byte(file))
	require.Equal(t, "E119;E11.-;E00-E90;*\nE11;E11.-;E00-E90;*\nI10;I10;I10.-;*\n", string(content))
	published, err := Text{Exact: true}.ParseHierarchy("icd.csv", bytes.NewReader(content))
	require.NoError(t, err)
	require.Equal(t, h, published.as(h), "who knows nothing of folds reads the same tree")
	_, err = folded.ParseHierarchy("icd.csv", strings.NewReader("a.b;x;*\nab;y;*\n"))
	require.EqualError(t, err, "icd.csv:2: the leaf is already on line 1: keep one of the lines")
}

// as is a hierarchy with the line numbers of another one.
func (h *Hierarchy) as(o *Hierarchy) *Hierarchy {
	h.lines = o.lines
	return h
}

// FuzzFold: a fold is its own fold, and a value.
func FuzzFold(f *testing.F) {
	for _, text := range []string{"E11.9", "\u0130.x", "a.\u0301", "--", "\u1fb3-\u0345", "\u1fb3 \u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule := Text{Folded: true, MaxLength: 1 << 20}
		clean, why := rule.Clean([]byte(text))
		if why != Accepted {
			return
		}
		again, why := rule.Clean(clean)
		require.Equal(t, Accepted, why, "%q", text)
		require.Equal(t, string(clean), string(again), "%q", text)
	})
}
