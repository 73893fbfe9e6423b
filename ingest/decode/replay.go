package decode

import (
	"slices"

	"anond/equivclass"
)

// Replay says whether the dead letters of a reason may be judged again.
type Replay string

// A record that is taken in late is published late, and adversaries see that. So the
// reason for the delay must be a function of what they know: of quasi-identifiers and
// subject (promise SA; at level L2 rule B, buckets: when somebody is published follows
// from quasi-identifiers and arrival alone, which Theorem E needs).
const (
	// ReplayKnown: the fault lies in a quasi-identifier or the subject, and what made it a
	// fault may change under a state.
	ReplayKnown Replay = "after_change"
	// ReplaySame: nothing that may change under a state makes such a record acceptable, so
	// it would be refused again. It is corrected at its source and sent as a new one.
	ReplaySame Replay = "same_again"
	// ReplayValue: the fault may lie in the sensitive value. That such a record is late
	// would tell that its value is one of those that are refused.
	ReplayValue Replay = "value"
	// ReplayNone: it is no record to be taken in.
	ReplayNone Replay = "no_record"
)

// ReplayRule is what holds for a reason, and why.
type ReplayRule struct {
	Replay Replay
	Why    string
}

// Reasons that several faults share.
const (
	notOfSchema  = "only another type or another schema could accept the value, and both are fixed"
	notOfText    = "such texts are refused in every configuration"
	wholeMessage = "the sensitive value is a part of the message, so what is wrong with the message can depend on it"
)

// ReplayRules classifies every reason. ReplayKnown and ReplaySame hold where the attribute
// at fault is a quasi-identifier or the subject; see RuleOf for the others.
//
// Messages that cannot be read at all are not replayed (wholeMessage). The counterexample:
// a producer forgets to quote fields, and the only value with a comma in it is `flu,
// severe`. Then wrong_field_count is refused exactly for the people with that value. If
// they came in together, once the producer's mistake is understood, everybody who is
// published late would have it.
var ReplayRules = map[equivclass.Reason]ReplayRule{
	equivclass.ReasonHierarchy: {ReplayKnown, "the hierarchy of a quasi-identifier may gain the leaf"},
	equivclass.ReasonTooLong:   {ReplayKnown, "`schema.attributes[].max_length` may be raised"},

	equivclass.ReasonMissing:     {ReplaySame, "`schema.missing` is fixed for a state"},
	equivclass.ReasonNumber:      {ReplaySame, notOfSchema},
	equivclass.ReasonInteger:     {ReplaySame, notOfSchema},
	equivclass.ReasonDate:        {ReplaySame, notOfSchema},
	equivclass.ReasonOutOfRange:  {ReplaySame, "buckets and types are fixed for a state"},
	equivclass.ReasonImplausible: {ReplaySame, "`schema.attributes[].range` is fixed for a state"},
	equivclass.ReasonCategory:    {ReplaySame, "it could not be distinguished from a generalized cell"},
	equivclass.ReasonUTF8:        {ReplaySame, notOfText},
	equivclass.ReasonControl:     {ReplaySame, notOfText},
	equivclass.ReasonInvisible:   {ReplaySame, notOfText},
	ReasonNested:                 {ReplaySame, "the record must become a flat one at its source"},
	ReasonUnavailable:            {ReplaySame, "the message does not have the value"},
	ReasonEncoded:                {ReplaySame, "the connector must write decimals as texts"},
	ReasonHeader:                 {ReplaySame, "a file with another header is another source, and is read from its beginning"},

	ReasonTooLarge:      {ReplayValue, wholeMessage},
	ReasonMalformedJSON: {ReplayValue, wholeMessage},
	ReasonDuplicate:     {ReplayValue, wholeMessage},
	ReasonNotAnObject:   {ReplayValue, wholeMessage},
	ReasonMalformedCSV:  {ReplayValue, wholeMessage},
	ReasonUnclosedQuote: {ReplayValue, wholeMessage},
	ReasonFieldCount:    {ReplayValue, wholeMessage},
	ReasonEnvelope:      {ReplayValue, wholeMessage},
	ReasonEncoding:      {ReplayValue, wholeMessage},
	ReasonFramed:        {ReplayValue, wholeMessage},

	ReasonUnsupported:  {ReplayNone, "a delete or update inserts nobody (rule N)"},
	ReasonTombstone:    {ReplayNone, "a delete inserts nobody (rule N)"},
	ReasonNoPerson:     {ReplayNone, "a delete inserts nobody (rule N)"},
	ReasonGrown:        {ReplayNone, "it is the rest of a line whose beginning was read as a record"},
	ReasonBlank:        {ReplayNone, "it is counted and never a dead letter"},
	ReasonHeaderLine:   {ReplayNone, "it is counted and never a dead letter"},
	ReasonContinued:    {ReplayNone, "it is counted and never a dead letter"},
	ReasonGap:          {ReplayNone, "it is counted and never a dead letter"},
	ReasonCorruptBatch: {ReplayNone, "it is counted and never a dead letter"},
	ReasonRewritten:    {ReplayNone, "it is counted and never a dead letter"},
}

// RuleOf is the rule for a dead letter: that of its reason, unless its attribute says more.
// A reason that is not known has no rule: its dead letters stay.
func RuleOf(schema *equivclass.Schema, why equivclass.Reason, attribute string) ReplayRule {
	rule, known := ReplayRules[why]
	if !known {
		return ReplayRule{ReplayValue, "this version does not know the reason"}
	}
	if rule.Replay == ReplayValue || rule.Replay == ReplayNone || why == ReasonHeader {
		return rule
	}
	i := slices.IndexFunc(schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == attribute })
	switch {
	case i < 0:
		return ReplayRule{ReplayValue, wholeMessage}
	case schema.Attributes()[i].Role.Blind(), isKey(schema.Attributes()[i].Role):
		return rule
	}
	return ReplayRule{ReplayValue, "its lateness would tell about the sensitive value"}
}
