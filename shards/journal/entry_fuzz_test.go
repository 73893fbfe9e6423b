package journal

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzEntry: what is read as an entry is written again as the same bytes, and nothing makes the decoder panic.
func FuzzEntry(f *testing.F) {
	for _, e := range []*Entry{
		{Genesis: &Genesis{State: Digest{1}}}, {Begin: &Begin{}}, {Ends: &Ends{Source: "kafka:t", Ends: [][2]int64{{1, 2}, {3, 4}}}},
		{Runs: &Runs{Source: "kafka:t", Runs: []Run{{Partition: 1, Tick: -5, Next: 6, Idle: 9}, {Tick: 1}}}}, {Cut: &Cut{}},
		{Intent: &Intent{Release: 1}},
		{Published: &Published{Release: 2}}, {Erase: &Erase{}}} {
		content, err := e.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content[4:])
	}
	f.Add([]byte(`{"cut":{},"intent":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimRight(text, "\x00")
		content := append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
		content = append(content, make([]byte, (padding-len(content)%padding)%padding)...)
		e, err := decode(content)
		if err != nil {
			return
		}
		again, err := e.encode()
		if err != nil || !bytes.Equal(again, content) {
			t.Fatalf("%q is written again as %q, %v", content, again, err)
		}
	})
}

func TestWhatIsNoEntry(t *testing.T) {
	good, err := (&Entry{Begin: &Begin{}}).encode()
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func([]byte) []byte) []byte { return change(bytes.Clone(good)) }
	for name, content := range map[string][]byte{
		"nothing":         nil,
		"a short one":     good[:len(good)-1],
		"a longer one":    append(bytes.Clone(good), make([]byte, padding)...),
		"other padding":   changed(func(b []byte) []byte { b[len(b)-1] = 1; return b }),
		"another length":  changed(func(b []byte) []byte { b[3]--; return b }),
		"a length beyond": changed(func(b []byte) []byte { b[0] = 255; return b }),
	} {
		if _, err := decode(content); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	for _, e := range []*Entry{{}, {Cut: &Cut{}, Begin: &Begin{}}, {Intent: &Intent{}},
		{Published: &Published{}},
		{Ends: &Ends{Ends: [][2]int64{{2, 1}, {1, 1}}}}, {Runs: &Runs{Runs: []Run{{Partition: -1}}}}, {Runs: &Runs{Runs: make([]Run, 1<<20)}}} {
		if _, err := e.encode(); err == nil {
			t.Errorf("%+v is written", e)
		}
	}
}
