package repartition

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzProgress holds the reader of progress against a plain one: what it reads the other reads as the same in the text
// that is written of it, and what the plain one reads in a text that has each name once, it reads as the same.
func FuzzProgress(f *testing.F) {
	text, err := sample().Encode()
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"sources":{"0":{"base":0,"next":0,"last":-1,"digest":"00000000000000000000000000000000"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Decode(text)
		if plain := plainProgress(text); plain != nil {
			require.NoError(t, err)
			require.Equal(t, plain, p)
		}
		if err != nil {
			require.ErrorIs(t, err, ErrProgress)
			return
		}
		for id, at := range p.Sources {
			for target := range int32(min(p.Targets, 8)) {
				l := at.link(id, target, at.Next, map[int32]int64{})
				require.Less(t, l.Previous, l.Offset)
				require.GreaterOrEqual(t, l.Previous, int64(-1))
			}
		}
		again, err := p.Encode()
		require.NoError(t, err)
		require.Equal(t, p, plainProgress(again), "%s", again)
		q, err := Decode(again)
		require.NoError(t, err)
		require.Equal(t, p, q)
	})
}

// plainProgress reads a progress as it is written, with all its names, each once, from a tree of maps; nil: it is none.
func plainProgress(text []byte) (p *Progress) {
	defer func() {
		if fault := recover(); fault != nil {
			if fault != errPlain {
				panic(fault)
			}
			p = nil
		}
	}()
	if !onceEach(text) {
		return nil
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	demand(d.Decode(&tree) == nil)
	_, err := d.Token()
	demand(err == io.EOF)
	all := named(tree, "again", "from", "key", "sources", "targets", "to")
	p = &Progress{From: as[string](all["from"]), To: as[string](all["to"]), Key: as[string](all["key"]), Again: as[bool](all["again"]),
		Targets: int(whole(all["targets"], 64))}
	if all["sources"] == nil {
		return p
	}
	p.Sources = map[int32]*place{}
	for id, at := range as[map[string]any](all["sources"]) {
		p.Sources[partitionOf(id)] = plainPlace(at, p.Targets)
	}
	return p
}

func plainPlace(tree any, targets int) *place {
	all := named(tree, "base", "digest", "last", "later", "next", "sent")
	at := &place{Base: whole(all["base"], 64), Later: as[bool](all["later"]), Next: whole(all["next"], 64), Last: whole(all["last"], 64),
		Digest: as[string](all["digest"])}
	demand(regexp.MustCompile(`^[0-9a-fA-F]{32}$`).MatchString(at.Digest))
	demand(0 <= at.Base && at.Base <= at.Next && -1 <= at.Last && at.Last < at.Next)
	if all["sent"] == nil {
		return at
	}
	at.Sent = map[int32]int64{}
	for target, offset := range as[map[string]any](all["sent"]) {
		t, o := partitionOf(target), whole(offset, 64)
		demand(int(t) < targets && at.Base <= o && o < at.Next)
		at.Sent[t] = o
	}
	return at
}

var errPlain = errors.New("the plain reader refuses it")

func demand(is bool) {
	if !is {
		panic(errPlain)
	}
}

func as[T any](v any) T {
	out, ok := v.(T)
	demand(ok)
	return out
}

func named(tree any, names ...string) map[string]any {
	all := as[map[string]any](tree)
	demand(slices.Equal(names, slices.Sorted(maps.Keys(all))))
	return all
}

func whole(v any, bits int) int64 {
	n, err := strconv.ParseInt(string(as[json.Number](v)), 10, bits)
	demand(err == nil)
	return n
}

// partitionOf reads the name of a partition as it is written.
func partitionOf(text string) int32 {
	demand(regexp.MustCompile(`^(0|[1-9][0-9]{0,9})$`).MatchString(text))
	return int32(whole(json.Number(text), 32))
}

// onceEach reports whether no object of a text has a name twice.
func onceEach(text []byte) bool {
	type level struct {
		names map[string]bool // nil: an array
		value bool            // a value comes next, no name
	}
	stack := []level{{}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return true // its end, or no JSON
		}
		at := &stack[len(stack)-1]
		name, isText := token.(string)
		switch {
		case token == json.Delim('{'), token == json.Delim('['):
			at.value = false
			stack = append(stack, level{names: map[json.Token]map[string]bool{json.Delim('{'): {}}[token]})
		case token == json.Delim('}'), token == json.Delim(']'):
			stack = stack[:len(stack)-1]
		case isText && at.names != nil && !at.value:
			if at.names[name] {
				return false
			}
			at.names[name], at.value = true, true
		default:
			at.value = false
		}
	}
}
