package equivclass

import (
	"strings"
	"testing"
)

// BenchmarkFind looks up what nearly every record has: a value that is known.
func BenchmarkFind(b *testing.B) {
	tree, err := ParseHierarchy("tree", strings.NewReader("1010;10*;*\n1020;10*;*\n"))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		attribute  Attribute
	}{
		{"categorical", "influenza", Attribute{Type: Categorical}},
		{"hierarchy", "1020", Attribute{Type: Categorical, Hierarchy: tree}},
		{"integer", "44", Attribute{Type: Integer}},
		{"decimal", "75.5", Attribute{Type: Decimal, Digits: 4}},
		{"date", "2022-01-08", Attribute{Type: Date}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, raw := NewDictionary(c.attribute), []byte(c.text)
			d.Encode(raw)
			b.ReportAllocs()
			for b.Loop() {
				if _, found, _ := d.Find(raw); !found {
					b.Fatal("lost")
				}
			}
		})
	}
}
