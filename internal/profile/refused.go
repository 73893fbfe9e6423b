package profile

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"anond/equivclass"
	"anond/ingest/decode"
)

// corrections says for each reason how to correct a refused line. It contains no
// values (rule V, values).
var corrections = map[equivclass.Reason]string{
	equivclass.ReasonMissing:     "give a value, or, unless it is a sensitive number, set schema.missing to value",
	equivclass.ReasonNumber:      "write a plain number, such as 42",
	equivclass.ReasonInteger:     "write a whole number, or declare the column decimal",
	equivclass.ReasonDate:        "write YYYY-MM-DD, or say by format or precision of the attribute how dates are written",
	equivclass.ReasonHierarchy:   "use a value of the hierarchy, or add it there",
	equivclass.ReasonCategory:    "write a text that does not start with [, { or *, is not ?, and has no | or }",
	equivclass.ReasonOutOfRange:  "start the buckets lower, round to the digits of the attribute, or write the number in larger units",
	equivclass.ReasonImplausible: "correct the value, list it in missing_values, or widen the range of the attribute",
	equivclass.ReasonUTF8:        "write the file in UTF-8",
	equivclass.ReasonControl:     "write the value in one line, without control characters",
	equivclass.ReasonInvisible:   "remove invisible characters",
	equivclass.ReasonTooLong:     "shorten the value, or raise max_length of the attribute",
	decode.ReasonUnavailable:     "send the value: the database did not give it to Debezium",
	decode.ReasonFramed:          "write plain JSON, without the five bytes of a schema registry",
	decode.ReasonTooLarge:        "shorten the record",
	decode.ReasonMalformedJSON:   "write one JSON object in a line",
	decode.ReasonDuplicate:       "name each member once",
	decode.ReasonNotAnObject:     "write one JSON object in a line",
	decode.ReasonNested:          "write a text or a number instead of a list or object",
	decode.ReasonMalformedCSV:    "quote whole fields, and double the quotes inside",
	decode.ReasonUnclosedQuote:   "close the quote on its line, or remove it; --multiline allows fields of several lines",
	decode.ReasonFieldCount:      "write as many fields as in the header",
}

// shownRefused is the number of refused lines that are listed.
const shownRefused = 20

// WriteRefused lists the lines of a file that are not in its table, and how to correct each. also says
// it for reasons of further columns.
func (t *Table) WriteRefused(w io.Writer, file string, also map[equivclass.Reason]string) {
	for i, r := range t.Refused {
		if i == shownRefused {
			fmt.Fprintf(w, "%s: %d more lines refused; --json lists them all\n", file, len(t.Refused)-i)
			break
		}
		of, how := "", cmp.Or(corrections[r.Reason], also[r.Reason])
		if r.Attribute != "" {
			of = fmt.Sprintf(" (attribute %q)", r.Attribute)
		}
		if how != "" {
			how = ": " + how
		}
		fmt.Fprintf(w, "%s:%d: refused: %s%s%s\n", file, r.Line, r.Reason, of, how)
	}
	if n := t.Unread.Unterminated; n == 1 {
		fmt.Fprintf(w,
			"%s:%d: left unread: the last line has no line break and may be incomplete; --complete reads it as complete\n", file, t.Last+1)
	} else if n > 1 {
		fmt.Fprintf(w,
			"%s:%d: left unread: this quote is not closed in the file, so the %d lines from here on are not read; "+
				"--complete refuses this line only\n", file, t.Last+1, n)
	}
}

// Refusal says how many lines of a table are refused for one reason, and what to do about it.
type Refusal struct {
	Reason    equivclass.Reason `json:"reason"`
	Attribute string            `json:"attribute,omitempty"`
	Lines     int               `json:"lines"`
	First     int64             `json:"first_line"`
	Do        string            `json:"do,omitempty"`
}

// What is the reason and the attribute.
func (r Refusal) What() string {
	if r.Attribute == "" {
		return string(r.Reason)
	}
	return fmt.Sprintf("%s of %s", r.Reason, r.Attribute)
}

// String is the refusal in one line.
func (r Refusal) String() string {
	out := fmt.Sprintf("%s, %d of the lines, first line %d", r.What(), r.Lines, r.First)
	if r.Do != "" {
		out += ": " + r.Do
	}
	return out
}

// Refusals are the refused lines by reason and attribute, the most frequent first.
func (t *Table) Refusals() []Refusal {
	out := []Refusal{}
	for _, r := range t.Refused {
		i := slices.IndexFunc(out, func(o Refusal) bool { return o.Reason == r.Reason && o.Attribute == r.Attribute })
		if i < 0 {
			i = len(out)
			out = append(out, Refusal{Reason: r.Reason, Attribute: r.Attribute, First: r.Line, Do: corrections[r.Reason]})
		}
		out[i].Lines++
	}
	slices.SortStableFunc(out, func(a, b Refusal) int { return cmp.Compare(b.Lines, a.Lines) })
	return out
}
