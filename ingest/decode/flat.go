package decode

import (
	"slices"
	"strings"

	"anond/equivclass"
)

// EventMembers are the members by which a flat change event is known (Debezium's transform ExtractNewRecordState): an object that has
// the row, and the operation in `__op` or `op` (add.fields) and `__deleted` (delete.handling.mode: rewrite); bare, or wrapped by a
// converter. An event without an operation is refused, since it may be an update. A member of such a name that is an attribute, if
// only one to drop, is none of these.
var EventMembers = []string{"__op", "__deleted", "op"}

// ofEvent reports whether an object with such a member is a flat change event.
func (r *objectReader) ofEvent(name []byte) bool {
	return slices.Contains(EventMembers, string(name)) &&
		!slices.ContainsFunc(r.attributes, func(a equivclass.Attribute) bool { return a.Name == string(name) })
}

// readFlat reads a member of an event that is no attribute.
func (d *debeziumDecoder) readFlat(name []byte) error {
	r, e := &d.members, &d.event
	switch event := r.ofEvent(name); {
	case event && string(name) == "__deleted":
		raw, err := r.dec.ReadValue()
		e.gone = strings.Trim(string(raw), `"`) == "true"
		return err
	case event:
		return d.readOp(e)
	case string(name) == "payload" && e.ops == 0 && !e.gone && r.dec.PeekKind() == '{' && e.payloads == 0:
		e.payloads++
		fault, err := r.readRow(d.row)
		if e.fault.Accepted() {
			e.fault = fault
		}
		return err
	case string(name) == "payload" && r.dec.PeekKind() == 'n':
		e.nullPayload = true
	}
	return r.dec.SkipValue()
}

// suspecting tells of members in plain records by which these are change events, whole or flat: an update or a delete would count
// as a person of its own.
func (r *objectReader) suspecting(tell func(member string)) {
	r.others = func(name []byte) error {
		if string(name) == "after" && r.dec.PeekKind() == '{' {
			tell("after")
		}
		if !r.ofEvent(name) {
			return r.dec.SkipValue()
		}
		member := string(name)
		raw, err := r.dec.ReadValue()
		if slices.Contains([]string{"c", "r", "u", "d", "true", "false"}, strings.Trim(string(raw), `"`)) {
			tell(member)
		}
		return err
	}
}
