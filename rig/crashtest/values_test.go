package crashtest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// values is the clinic with the promise that two people can keep.
func values(format string, change ...string) string {
	source := fmt.Sprintf("{type: file, format: %s, file: {path: in.%s}}", format, format)
	return strings.NewReplacer(append([]string{"k: 3, l: 3", "k: 2, l: 2"}, change...)...).Replace(clinic(source))
}

// refusals returns reason and attribute of each dead letter, in order.
func (s *site) refusals() (out []string) {
	for line := range strings.Lines(s.read("dead-letter/dead-letter.ndjson")) {
		var letter struct{ Reason, Attribute string }
		require.NoError(s.t, json.Unmarshal([]byte(line), &letter))
		out = append(out, strings.TrimSuffix(letter.Reason+" "+letter.Attribute, " "))
	}
	return out
}

// TestTwoSpellingsAreOneValue: texts that a reader takes for the same are one
// value, so that two people with one diagnosis do not pass for diverse.
func TestTwoSpellingsAreOneValue(t *testing.T) {
	chosen.Demand(t)
	for _, same := range [][2]string{{"flu", "flu "}, {"flu", "\u00a0flu"},
		{"grippe a\u0300", "grippe \u00e0"}, {"heart attack", "heart  attack"}} {
		s := newSite(t, values("csv"))
		s.write("in.csv", "id,age,city,ill\np1,30,c1,"+same[0]+"\np2,30,c1,"+same[1]+"\n")
		s.run("", "run", "--once")
		assert.Empty(t, s.read("releases/000001/part-000001/data.csv"), "%q and %q count as two values", same[0], same[1])

		s = newSite(t, values("csv", "name: ill,", "name: ill, text: exact,"))
		s.write("in.csv", "id,age,city,ill\np1,30,c1,"+same[0]+"\np2,30,c1,"+same[1]+"\n")
		r := s.run("", "run", "--once")
		require.Equal(t, 0, r.code, r.stderr)
		assert.NotEmpty(t, s.read("releases/000001/part-000001/data.csv"), "the schema says that %q and %q differ", same[0], same[1])
	}
}

// TestTwoSpellingsAreOnePerson: a person is recognised although the identifier
// came with a blank once.
func TestTwoSpellingsAreOnePerson(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, values("csv"))
	s.write("in.csv", "id,age,city,ill\np1,30,c1,flu\np1 ,30,c1,cold\n")
	s.run("", "run", "--once")
	assert.Empty(t, s.read("releases/000001/part-000001/data.csv"), "one person is no class of two")
}

// TestNoValueThatBreaksALine: what a release could not show in one line, or
// could show and nobody could see, is refused in every format, with its reason. (A line that is not UTF-8 ends the run.)
func TestNoValueThatBreaksALine(t *testing.T) {
	chosen.Demand(t)
	long := strings.Repeat("x", 900_000)
	bad := []struct{ text, reason string }{
		{"a\nb", "control_character"}, {"a\rb", "control_character"}, {"a\x00b", "control_character"}, {"a\tb", "control_character"},
		{"a\x7fb", "control_character"}, {"a\u0085b", "control_character"}, {"a\u2028b", "control_character"},
		{"a\u202eb", "invisible_character"}, {"a\u200bb", "invisible_character"},
		{long, "value_too_long"}, {"{a", "value_refused"}, {"a|b", "value_refused"},
	}
	good := `{"id":"p1","age":30,"city":"c1","ill":"flu"}` + "\n" + `{"id":"p2","age":30,"city":"c1","ill":"cold"}` + "\n"
	s := newSite(t, values("json", "in.json", "in.ndjson"))
	in, want := good, []string{}
	for i, b := range bad {
		text, err := json.Marshal(b.text)
		require.NoError(t, err)
		in += fmt.Sprintf(`{"id":"b%d","age":30,"city":"c1","ill":%s}`+"\n", i, text)
		want = append(want, b.reason+" ill")
	}
	s.write("in.ndjson", in)
	s.showsOnly(want)

	s = newSite(t, values("csv"))
	in, want = "id,age,city,ill\np1,30,c1,flu\np2,30,c1,cold\n", []string{}
	for i, b := range bad {
		if !strings.ContainsAny(b.text, "\n\r") { // those end a line of CSV
			in += fmt.Sprintf("b%d,30,c1,%s\n", i, b.text)
			want = append(want, b.reason+" ill")
		}
	}
	s.write("in.csv", in)
	s.showsOnly(want)
}

// showsOnly runs the site once: the good records are published, the others are
// dead letters, and no value is in the log.
func (s *site) showsOnly(want []string) {
	s.t.Helper()
	r := s.run("", "run", "--once")
	require.Equal(s.t, 0, r.code, r.stderr)
	assert.Equal(s.t, want, s.refusals())
	assert.Equal(s.t, 3, strings.Count(s.read("releases/000001/part-000001/data.csv"), "\n"), "a header and the two good records")
	assert.Equal(s.t, 0, s.run("", "audit", "-c", "anond.yaml").code)
}

// TestALongTextNeedsLeave: the schema can raise the bound.
func TestALongTextNeedsLeave(t *testing.T) {
	chosen.Demand(t)
	long := strings.Repeat("x", 3000)
	in := "id,age,city,ill\np1,30,c1,flu\np2,30,c1," + long + "\np3,31,c1,cold\n"
	s := newSite(t, values("csv"))
	s.write("in.csv", in)
	require.Equal(t, 0, s.run("", "run", "--once").code)
	assert.Equal(t, []string{"value_too_long ill"}, s.refusals())

	s = newSite(t, values("csv", "name: ill,", "name: ill, max_length: 4KiB,"))
	s.write("in.csv", in)
	require.Equal(t, 0, s.run("", "run", "--once").code)
	assert.Empty(t, s.refusals())
}

// TestNumbersAsPeopleWriteThem: what has exactly an integer's value is one.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, values("csv"))
	in := "id,age,city,ill\n"
	for i, age := range []string{"30", "30.0", "3e1", "+30", "0030", " 30 ", "300E-1", "30."} {
		in += fmt.Sprintf("p%d,%s,c1,d%d\n", i, age, i)
	}
	for _, age := range []string{"30.5", "1e99999999999999999999", "9007199254740993", "0x1e", "1_000", "\"1,000\"", "nan", "1e-1"} {
		in += "b," + age + ",c1,d\n"
	}
	s.write("in.csv", in)
	require.Equal(t, 0, s.run("", "run", "--once").code)
	assert.Equal(t, []string{"not_an_integer age", "value_out_of_range age", "value_out_of_range age", "not_a_number age", "not_a_number age",
		"not_a_number age", "not_a_number age", "not_an_integer age"}, s.refusals())
	assert.Contains(t, s.read("releases/000001/manifest.json"), `"records": 8`)
}

// TestAHierarchyThatIsNoTree is found before a record is read.
func TestAHierarchyThatIsNoTree(t *testing.T) {
	chosen.Demand(t)
	config := values("csv", "name: city,", "name: city, hierarchy: city.csv,")
	s := newSite(t, config)
	s.write("in.csv", "id,age,city,ill\np1,30,c1,flu\np2,30,c2,cold\n")
	s.write("city.csv", "c1;north;*\nc2;other;north;*\nc3;south;*\nc4;other;south;*\n")
	for _, command := range [][]string{{"config", "check", "-c", "anond.yaml"}, {"run", "--once"},
		{"anonymize", "in.csv", "--out", "out", "-c", "anond.yaml"}} {
		run := func() result { return s.run("", command...) }
		if command[0] == "anonymize" {
			run = func() result { return s.lab(command...) }
		}
		r := run()
		assert.Equal(t, 78, r.code, command)
		assert.Contains(t, r.stderr, "city.csv:4: schema.attributes[2].hierarchy: ", command)
		assert.Contains(t, r.stderr, "line 2", command)
		assert.NotContains(t, r.stderr, "other", "a label is named by its line and column")
	}
	_, err := os.Stat(s.path("state/anond.db"))
	assert.ErrorIs(t, err, os.ErrNotExist, "nothing was begun")

	s.write("city.csv", "c1;n1;north;*\nc2;n2;north;*\nc3;s1;south;*\nc4;s2;south;*\n")
	require.Equal(t, 0, s.run("", "run", "--once").code, "the corrected file is taken")
	assert.Equal(t, 0, s.run("", "audit", "-c", "anond.yaml").code)
}

// TestAHierarchyIsNormalizedToo: leaves and labels are texts like any other, and
// the copy that goes with the releases says what the cells say.
func TestAHierarchyIsNormalizedToo(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, values("csv", "name: city,", "name: city, hierarchy: city.csv,"))
	s.write("in.csv", "id,age,city,ill\np1,30,c1,flu\np2,30,\u00e9,cold\n")
	s.write("city.csv", "c1 ; north ;*\ne\u0301;north;*\n C1;south;*\n")
	check := s.run("", "config", "check", "-c", "anond.yaml")
	assert.Equal(t, 0, check.code)
	assert.Contains(t, check.stderr+check.stdout, "lines 1 and 3 ")
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Empty(t, s.refusals())
	assert.Equal(t, "c1;north;*\n\u00e9;north;*\nC1;south;*\n", s.read("releases/hierarchies/city.csv"))
	audit := s.run("", "audit", "-c", "anond.yaml")
	assert.Equal(t, 0, audit.code, audit.stdout+audit.stderr)

	s.write("city.csv", "c1;north;*\nc1 ;south;*\n")
	r = s.run("", "config", "check", "-c", "anond.yaml")
	assert.Equal(t, 78, r.code)
	assert.Contains(t, r.stderr, "city.csv:2: ")
}

// TestAStateOfExactText: a state that was made when text was taken as written
// goes on under text: exact, and nothing else goes on with it.
func TestAStateOfExactText(t *testing.T) {
	chosen.Demand(t)
	exact := values("csv", "name: ill,", "name: ill, text: exact,", "name: id,", "name: id, text: exact,",
		"name: city,", "name: city, text: exact,")
	s := newSite(t, exact)
	s.write("in.csv", "id,age,city,ill\np1,30,c1,flu\np2,30,c1,flu \n")
	require.Equal(t, 0, s.run("", "run", "--once").code)
	s.write("anond.yaml", values("csv"))
	r := s.run("", "run", "--once")
	assert.Equal(t, 78, r.code)
	assert.Contains(t, r.stderr, "schema.attributes[ill].text")
	assert.Contains(t, r.stderr, "text: exact")
	s.write("anond.yaml", exact)
	assert.Equal(t, 0, s.run("", "run", "--once").code)
}
