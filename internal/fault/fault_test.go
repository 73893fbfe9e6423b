package fault

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

type typed struct{ hint string }

func (typed) Error() string           { return "typed" }
func (t typed) Fault() (Kind, string) { return Config, t.hint }

// TestOf: what was given last decides, of joined errors the gravest, and of equal ones the last.
func TestOf(t *testing.T) {
	plain := errors.New("plain")
	locked := Errorf(Locked, "stop it", "locked")
	away := Errorf(Failed, "reach it", "away")
	full := Errorf(Failed, "make room", "full")
	refused := Errorf(Privacy, "report it", "refused")
	for _, c := range []struct {
		name string
		err  error
		kind Kind
		hint string
	}{
		{"none", nil, 0, ""},
		{"without a kind", plain, Failed, ""},
		{"its own", locked, Locked, "stop it"},
		{"wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", locked)), Locked, "stop it"},
		{"given again", With(Usage, "leave it", fmt.Errorf("a: %w", locked)), Usage, "leave it"},
		{"a kind alone", With(Usage, "", locked), Usage, "stop it"},
		{"a hint alone", With(0, "leave it", locked), Locked, "leave it"},
		{"a type", fmt.Errorf("a: %w", typed{"correct it"}), Config, "correct it"},
		{"a type without a hint", typed{}, Config, ""},
		{"the gravest of several", errors.Join(away, refused, locked), Privacy, "report it"},
		{"the cause of equals", fmt.Errorf("%w: %w", away, full), Failed, "make room"},
		{"an equal without a hint", fmt.Errorf("%w: %w", away, With(Failed, "", plain)), Failed, "reach it"},
		{"a cause without a kind", fmt.Errorf("%w: %w", away, plain), Failed, "reach it"},
		{"a cause without a kind, first", errors.Join(plain, away), Failed, "reach it"},
		{"within a join", errors.Join(plain, fmt.Errorf("a: %w", errors.Join(away, locked))), Locked, "stop it"},
	} {
		kind, hint := Of(c.err)
		assert.Equal(t, c.kind, kind, c.name)
		assert.Equal(t, c.hint, hint, c.name)
	}
	assert.ErrorIs(t, With(Usage, "", locked), locked)
	assert.EqualError(t, With(Usage, "leave it", locked), "locked", "a hint is no part of the text")
}
