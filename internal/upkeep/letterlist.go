package upkeep

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/ingest/deadletter"
	"anond/ingest/decode"
	"anond/internal/dataset"
)

// LetterFilter chooses dead letters. Empty fields choose all.
type LetterFilter struct {
	Reason, Attribute, Source string
	Partition                 int32 // -1: all
	Since, Until              time.Time
}

func (f *LetterFilter) has(d *deadletter.Delivered) bool {
	return (f.Reason == "" || string(d.Reason) == f.Reason) && (f.Attribute == "" || d.Attribute == f.Attribute) &&
		(f.Source == "" || d.Partition.Source == f.Source) && (f.Partition < 0 || d.Partition.ID == f.Partition) &&
		(f.Since.IsZero() || !d.At.Before(f.Since)) && (f.Until.IsZero() || !d.At.IsZero() && d.At.Before(f.Until))
}

// LetterList is what `anond dlq list` shows. It has no value of a record.
type LetterList struct {
	Places  []string        `json:"places"`
	Letters int             `json:"letters"` // that the sink holds
	Matched int             `json:"matched"` // that the filter chooses
	Reasons []letterSource  `json:"reasons"`
	Newest  []LetterSummary `json:"newest"` // of the matched ones, in the order of the sink
	Unread
}

// letterSource counts the matched dead letters of one reason and attribute.
type letterSource struct {
	Reason    string        `json:"reason"`
	Attribute string        `json:"attribute,omitempty"`
	Letters   int           `json:"letters"`
	Replay    decode.Replay `json:"replay"`
	Why       string        `json:"why"`
}

// LetterSummary is one dead letter without its payload.
type LetterSummary struct {
	Seq       uint64     `json:"seq"`
	Source    string     `json:"source"`
	Partition int32      `json:"partition"`
	Offset    int64      `json:"offset"`
	Reason    string     `json:"reason"`
	Attribute string     `json:"attribute,omitempty"`
	Delivered *time.Time `json:"delivered,omitempty"`
	Payload   string     `json:"payload"` // none, kept or encrypted
}

// SummaryOf leaves the payload out.
func SummaryOf(d *deadletter.Delivered) LetterSummary {
	s := LetterSummary{Seq: d.Seq, Source: d.Partition.Source, Partition: d.Partition.ID, Offset: d.Offset, Reason: string(d.Reason),
		Attribute: d.Attribute, Payload: "none"}
	if !d.At.IsZero() {
		at := d.At.UTC()
		s.Delivered = &at
	}
	switch {
	case d.Sealed:
		s.Payload = "encrypted"
	case d.Cut, d.Payload != nil:
		s.Payload = "kept"
	}
	return s
}

// maxKinds bounds the pairs of reason and attribute that are counted apart. A sink that
// anond wrote has far fewer; those beyond are counted under their reason, and then as other.
const maxKinds = 10_000

// ListLetters reads all dead letters once, and holds the newest ones that match.
func ListLetters(ctx context.Context, c *config.Config, file string, f LetterFilter, newest int) (*LetterList, error) {
	sink, err := openLetterSink(ctx, c, file)
	if err != nil {
		return nil, err
	}
	out := &LetterList{Places: sink.Places, Reasons: []letterSource{}, Newest: []LetterSummary{}}
	counts := map[dataset.Refusal]int{}
	out.Unread, err = sink.Each(ctx, false, func(d deadletter.Delivered) error {
		out.Letters++
		if !f.has(&d) {
			return nil
		}
		kind := dataset.Refusal{Reason: d.Reason, Attribute: d.Attribute}
		if _, known := counts[kind]; !known && len(counts) >= maxKinds {
			kind = dataset.Refusal{Reason: "other"}
		}
		counts[kind]++
		if newest > 0 {
			if len(out.Newest) < newest {
				out.Newest = append(out.Newest, SummaryOf(&d))
			} else {
				out.Newest[out.Matched%newest] = SummaryOf(&d)
			}
		}
		out.Matched++
		return nil
	})
	if len(out.Newest) == newest && newest > 0 { // a ring
		begin := out.Matched % newest
		out.Newest = slices.Concat(out.Newest[begin:], out.Newest[:begin])
	}
	out.Reasons = append(out.Reasons, lettersOf(c.Schema(), counts)...)
	return out, err
}

// lettersOf orders the counts, most frequent first.
func lettersOf(schema *equivclass.Schema, counts map[dataset.Refusal]int) (out []letterSource) {
	for kind, n := range counts {
		rule := decode.RuleOf(schema, kind.Reason, kind.Attribute)
		out = append(out, letterSource{string(kind.Reason), kind.Attribute, n, rule.Replay, rule.Why})
	}
	slices.SortFunc(out, func(a, b letterSource) int {
		return cmp.Or(cmp.Compare(b.Letters, a.Letters), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Attribute, b.Attribute))
	})
	return out
}

// errNoRef: a text names no dead letter.
var errNoRef = errors.New("it is neither the number of a dead letter nor source:partition:offset")

// letterRef names dead letters: by number, or by the place of the record.
type letterRef struct {
	seq uint64
	at  place
}

// ParseLetterRef reads 17, or kafka:admissions:3:1204.
func ParseLetterRef(text string) (r letterRef, err error) {
	if r.seq, err = strconv.ParseUint(text, 10, 64); err == nil && r.seq > 0 {
		return r, nil
	}
	r.seq = 0 // ParseUint returns a number with some of its errors
	rest, offset, found := cutLast(text)
	source, id, also := cutLast(rest)
	partition, err := strconv.ParseInt(id, 10, 32)
	r.at.partition.Source, r.at.partition.ID = source, int32(partition)
	var bad error
	if r.at.offset, bad = strconv.ParseInt(offset, 10, 64); !found || !also || source == "" || err != nil || bad != nil {
		return letterRef{}, errNoRef
	}
	return r, nil
}

func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+1:], true
}

func (r *letterRef) names(d *deadletter.Delivered) bool {
	return d.Seq == r.seq || r.seq == 0 && d.Partition == r.at.partition && d.Offset == r.at.offset
}

// maxFound bounds the dead letters of one name: a record has one each time it is judged,
// and files of several states may lie side by side.
const maxFound = 100

// FindLetters returns the dead letters of a name, oldest first. With payloads these are
// decrypted: they are persons' values.
func FindLetters(ctx context.Context, c *config.Config, file string, ref letterRef, payloads bool) (out []deadletter.Delivered, err error) {
	sink, err := openLetterSink(ctx, c, file)
	if err != nil {
		return nil, err
	}
	_, err = sink.Each(ctx, payloads, func(d deadletter.Delivered) error {
		if ref.names(&d) && len(out) < maxFound {
			out = append(out, d)
		}
		return nil
	})
	if err != nil || !payloads {
		return out, err
	}
	key, err := dataset.KeyOf(ctx, c)
	for i := range out {
		if err == nil && !out[i].Cut {
			out[i], err = deadletter.OpenPayload(out[i], key)
		}
	}
	return out, err
}
