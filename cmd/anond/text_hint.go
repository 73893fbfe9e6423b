package main

import (
	"errors"
	"slices"
	"strings"

	"anond/incremental"
)

// textHint is for a state that was made under another
// schema.attributes[].text. Its subjects and values have that form:
// under another one a known person would be taken for a new one.
const textHint = "a state keeps the form of its texts: write text: exact for the attributes named if the state was made " +
	"with it, otherwise remove it"

// changedText reports whether the form of texts differs from that of the state for
// an attribute that is otherwise the same.
func changedText(err error) bool {
	var changed *incremental.SettingsError
	return errors.As(err, &changed) && slices.ContainsFunc(changed.Keys, func(k string) bool {
		attribute, text := strings.CutSuffix(k, ".text")
		return text && !slices.Contains(changed.Keys, attribute)
	})
}
