package main

import (
	"anond/equivclass"
	"anond/ingest/decode"
	"anond/lab/oneoff"
)

// corrections says for each reason how to correct a refused line. It contains no
// values (rule V, values).
var corrections = map[equivclass.Reason]string{
	equivclass.ReasonMissing:     "give a value, or, unless it is a sensitive number, set schema.missing to value",
	equivclass.ReasonNumber:      "write a plain number, such as 42",
	equivclass.ReasonInteger:     "write a whole number, or declare the column decimal",
	equivclass.ReasonDate:        "write YYYY-MM-DD",
	equivclass.ReasonHierarchy:   "use a value of the hierarchy, or add it there",
	equivclass.ReasonCategory:    "write a text that does not start with [, { or *, is not ?, and has no | or }",
	equivclass.ReasonOutOfRange:  "start the buckets lower, round to the digits of the attribute, or write the number in larger units",
	equivclass.ReasonImplausible: "correct the value, list it in missing_values, or widen the range of the attribute",
	oneoff.ReasonFlag:            "write yes or no",
	equivclass.ReasonUTF8:        "write the file in UTF-8",
	equivclass.ReasonControl:     "write the value in one line, without control characters",
	equivclass.ReasonInvisible:   "remove invisible characters",
	equivclass.ReasonTooLong:     "shorten the value, or raise max_length of the attribute",
	decode.ReasonTooLarge:        "shorten the record",
	decode.ReasonMalformedJSON:   "write one JSON object in a line",
	decode.ReasonDuplicate:       "name each member once",
	decode.ReasonNotAnObject:     "write one JSON object in a line",
	decode.ReasonNested:          "write a text or a number instead of a list or object",
	decode.ReasonMalformedCSV:    "quote whole fields, and double the quotes inside",
	decode.ReasonUnclosedQuote:   "close the quote on its line, or remove it; --multiline allows fields of several lines",
	decode.ReasonFieldCount:      "write as many fields as in the header",
}

// checkFormat refuses an unknown format of a table.
func checkFormat(format string) error {
	switch decode.Format(format) {
	case "", decode.CSV, decode.JSON:
		return nil
	}
	return usage("--format csv or --format json (NDJSON)", "format %q is not known", format)
}
