package equivclass

import (
	"strings"
)

// ReasonFlag: the flag of a semi-sensitive value is missing, or is none of the
// words that parseFlag knows. Such a record is refused, whatever schema.missing
// says: treating the value as known could expose a person, treating it as
// sensitive would put the person among people with other flags.
const ReasonFlag Reason = "bad_flag"

// parseFlag reads whether a semi-sensitive value is sensitive to its person:
// true or false, t or f, yes or no, y or n, 1 or 0, in any case.
func parseFlag(raw []byte) (sensitive, ok bool) {
	if len(raw) > len("false") {
		return false, false
	}
	switch strings.ToLower(string(raw)) {
	case "true", "t", "yes", "y", "1":
		return true, true
	case "false", "f", "no", "n", "0":
		return false, true
	}
	return false, false
}
