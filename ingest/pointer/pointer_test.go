package pointer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestParse: the examples of RFC 6901, and what is refused.
func TestParse(t *testing.T) {
	for text, want := range map[string][]string{"/foo": {"foo"}, "/foo/0": {"foo", "0"}, "/": {""}, "/a~1b": {"a/b"}, "/m~0n": {"m~n"},
		"/ ": {" "}, "/~01": {"~1"}, "/c%d": {"c%d"}, "/a//b": {"a", "", "b"}} {
		got, err := Parse(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "a", "a/b", "/~", "/~2", "/a~", "#/a"} {
		_, err := Parse(text)
		assert.ErrorIs(t, err, errSyntax, text)
	}
}

// TestPlaces: members and elements are found, and no two values lie in one another.
func TestPlaces(t *testing.T) {
	root := New()
	for i, text := range []string{"/a/b", "/a/0", "/a/00", "/c"} {
		steps, _ := Parse(text)
		_, ok := root.Add(steps, i)
		assert.True(t, ok, text)
	}
	a := root.Member([]byte("a"))
	assert.Equal(t, -1, a.Value)
	assert.Equal(t, 0, a.Member([]byte("b")).Value)
	assert.Equal(t, 1, a.Member([]byte("0")).Value)
	assert.Equal(t, 1, a.Element(0).Value, "00 is no index")
	assert.Nil(t, a.Element(1))
	assert.Nil(t, root.Element(0))
	assert.Nil(t, root.Member([]byte("x")))
	for text, other := range map[string]int{"/a": 0, "/a/b": 0, "/c/d": 3, "/c": 3, "/a/0/x": 1} {
		steps, _ := Parse(text)
		got, ok := root.Add(steps, 9)
		assert.False(t, ok, text)
		assert.Equal(t, other, got, text)
	}
}
