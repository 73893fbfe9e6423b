package equivclass

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHierarchiesOfARXAreRead: what its wizards write is read, and the copy has labels that a release can show.
func TestHierarchiesOfARXAreRead(t *testing.T) {
	for name, x := range map[string]struct{ file, copy string }{
		"a masked root": {"8001;800*;80**;****\n8002;800*;80**;****\n", "8001;800*;80**;*\n8002;800*;80**;*\n"},
		"intervals of whole numbers": {"18;[15, 20[;[0, 20[;*\n25;[25, 30[;[20, 40];*\n-3;[-5, 0[;[-20, 0[;*\n",
			"18;15-19;0-19;*\n25;25-29;20-40;*\n-3;-5--1;-20--1;*\n"},
		"intervals of other numbers": {"1.8;[1.5, 2.0[;*\n2.5;[2.0, 3.0];*\n", "1.8;1.5 to <2.0;*\n2.5;2.0 to 3.0;*\n"},
		"sets":                       {"m;{m, f};*\nf;{m, f};*\n", "m;m, f;*\nf;m, f;*\n"},
		"masked from the left":       {"801;*01;**1;***\n901;*01;**1;***\n", "801;#01;##1;*\n901;#01;##1;*\n"},
		"suppressed in the middle":   {"E1;Ea;E;*\n\"X1,X2\";*;*;*\n", "E1;Ea;E;*\nX1,X2;*;*;*\n"},
		"semicolons and quotes":      {"\"a;b\";g;*\n\"say \"\"c\"\"\";g;*\n", "\"a;b\";g;*\n\"say \"\"c\"\"\";g;*\n"},
		"a value as its label":       {"France;Europe;*\nEurope;Europe;*\n", "France;Europe (all);*\nEurope;Europe (all);*\n"},
		"a value by itself":          {"France;Europe;*\nother;other;*\n", "France;Europe;*\nother;other;*\n"},
	} {
		h, err := ParseHierarchy("f", strings.NewReader(x.file))
		require.NoError(t, err, name)
		assert.Equal(t, strings.Count(x.file, "\n"), h.Leaves(), name)
		assert.Equal(t, x.copy, string(Text{}.NormalizeHierarchy([]byte(x.file))), name)
		again, err := ParseHierarchy("f", strings.NewReader(x.copy))
		require.NoError(t, err, name)
		assert.Equal(t, h.labels, again.labels, name)
	}
}

// TestALeafThatLooksLikeACellIsRefusedWithItsColumn: only labels have another name; a leaf is a value of the data.
func TestALeafThatLooksLikeACellIsRefusedWithItsColumn(t *testing.T) {
	_, err := ParseHierarchy("f", strings.NewReader("[15, 20[;x;*\nb;x;*\n"))
	assert.ErrorContains(t, err, "f:1: column 1: a category may not start with")
}
