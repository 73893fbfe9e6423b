package decode

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"anond/equivclass"
)

// form makes a value, as the schema has it, of a text as a source writes it. What stands for a missing value is taken as it is.
type form struct {
	missing map[string]bool
	read    func(to *[]byte, text []byte) ([]byte, equivclass.Reason) // the value is appended, or is the text
}

// unavailable is what Debezium writes in the place of a value that the database did not send.
const unavailable = "__debezium_unavailable_value"

// formsOf are the forms of the attributes.
func formsOf(format Format, schema *equivclass.Schema, opts Options) ([]*form, error) {
	out := make([]*form, len(schema.Attributes()))
	for i, a := range schema.Attributes() {
		dates, written := opts.Dates[a.Name]
		number := a.Type == equivclass.Integer || a.Type == equivclass.Decimal
		if !needed(a.Role) || isKey(a.Role) {
			continue
		}
		f := &form{missing: map[string]bool{}}
		switch {
		case a.Type == equivclass.Date && written:
			d, err := dates.Reader()
			if err != nil {
				return nil, fmt.Errorf("format of %s: %w", a.Name, err)
			}
			f.read = func(to *[]byte, text []byte) ([]byte, equivclass.Reason) {
				start, ok := len(*to), false
				if *to, ok = d.Append(*to, text); !ok {
					return nil, equivclass.ReasonDate
				}
				return (*to)[start:len(*to):len(*to)], equivclass.Accepted
			}
		case number && format == CSV && opts.Form.DecimalComma:
			f.read = pointed
		case number && (format == Debezium || format == DebeziumFlat):
			f.read = plainNumber
		default:
			continue
		}
		for _, text := range a.MissingValues {
			clean, _ := a.Clean([]byte(text))
			f.missing[string(clean)] = true
		}
		out[i] = f
	}
	return out, nil
}

// pointed writes a number that has a comma before its fraction with a point. One with a point is refused: the point may part
// thousands.
func pointed(to *[]byte, text []byte) ([]byte, equivclass.Reason) {
	comma := bytes.IndexByte(text, ',')
	switch {
	case bytes.IndexByte(text, '.') >= 0:
		return nil, equivclass.ReasonNumber
	case comma < 0:
		return text, equivclass.Accepted
	}
	start := len(*to)
	*to = append(*to, text...)
	(*to)[start+comma] = '.'
	return (*to)[start:len(*to):len(*to)], equivclass.Accepted
}

// plainNumber refuses the bytes of a decimal in base64, as Debezium writes them unless decimal.handling.mode is string or double.
// (Of these texts one in some thousand has digits alone, and is not told from a number.)
func plainNumber(_ *[]byte, text []byte) ([]byte, equivclass.Reason) {
	for _, b := range text {
		if (b < '0' || b > '9') && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E' {
			if _, err := base64.StdEncoding.AppendDecode(nil, text); err == nil {
				return nil, ReasonEncoded
			}
			break
		}
	}
	return text, equivclass.Accepted
}
