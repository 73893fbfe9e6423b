package kafkasrc

import (
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
	"anond/internal/retry"
)

func event(name string) slog.Attr      { return slog.String("event", name) }
func partitionAttr(id int32) slog.Attr { return slog.Int("partition", int(id)) }

// health turns the failures and successes of many partitions into few lines:
// one when the first of them breaks, one when all work again, and in between
// each one that fails is named again, at distances that double.
type health struct {
	log    *slog.Logger
	access *kafkaclient.Access
	mu     sync.Mutex
	down   map[int32]*failing  // partitions whose last attempt failed
	said   map[string]lastSaid // by kind of error
	told   bool                // a failure was warned of, and its end was not told yet
	last   string              // the newest error
}

// failing is a partition that fails.
type failing struct {
	since   time.Time
	tries   int
	silence retry.Silence
	corrupt bool // the broker answers, and what it has cannot be read
}

// lastSaid is when a kind of error was last warned of, and of which partition.
type lastSaid struct {
	at time.Time
	id int32
}

// works notes a success. It costs a lock and one look-up in an empty map.
func (h *health) works(id int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.down) == 0 || h.down[id] == nil {
		return
	}
	delete(h.down, id)
	if len(h.down) > 0 {
		return
	}
	clear(h.said)
	if h.told {
		h.told = false
		h.log.Info("reading again", event("source_connected"))
	}
}

func (h *health) fails(id int32, err error) { h.failsAt(time.Now(), id, err) }

func (h *health) failsAt(now time.Time, id int32, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.down[id]
	if f == nil {
		if f = (&failing{since: now}); h.down == nil {
			h.down, h.said = map[int32]*failing{}, map[string]lastSaid{}
		}
		h.down[id] = f
	}
	f.tries++
	f.corrupt = fetch.IsCorrupt(err)
	h.last = err.Error()
	attrs := []any{partitionAttr(id), slog.String("error", err.Error())}
	if hint := fault.Hint(h.access.Explained(err, toRead)); hint != "" {
		attrs = append(attrs, slog.String("hint", hint))
	}
	switch {
	case kafkaclient.IsStarting(err) && now.Sub(f.since) < retry.FirstSilence:
		h.log.Debug("waiting for the coordinator of the group", append(attrs, event("source_retry"))...)
	case !h.due(f, now, id, err):
		h.log.Debug("reading still fails", append(attrs, event("source_retry"))...)
	case !h.told:
		h.told = true
		h.log.Warn("reading failed; it is tried again without limit", append(attrs, event("source_disconnected"))...)
	default:
		h.log.Warn("reading still fails", append(attrs, event("source_retry"), slog.Int("tries", f.tries),
			slog.String("for", now.Sub(f.since).Round(time.Second).String()), slog.Int("partitions_failing", len(h.down)))...)
	}
}

// due reports whether a failure is to be warned of: the partition's time has
// come, and no other partition was named for the same kind of error since its
// last one. A broker that is away is one fault, not one for each partition.
func (h *health) due(f *failing, now time.Time, id int32, err error) bool {
	if _, told := f.silence.Broken(now, retry.FirstSilence); !told {
		return false
	}
	kind := kindOf(id, err)
	if last, ok := h.said[kind]; ok && last.id != id && h.down[last.id] != nil && now.Sub(last.at) < f.silence.Gap {
		return false
	}
	if len(h.said) < mostKinds {
		h.said[kind] = lastSaid{now, id}
	}
	return true
}

// mostKinds bounds what is remembered of errors.
const mostKinds = 100

// kindOf tells errors apart that have different causes: by their text without
// digits, which are ports and offsets. A corrupt batch concerns its partition only.
func kindOf(id int32, err error) string {
	kind := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, err.Error())
	if fetch.IsCorrupt(err) {
		kind += strconv.Itoa(int(id))
	}
	return kind
}

// away reports whether the broker of a partition cannot be reached, or none can.
func (h *health) away(id int32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.down[id]
	return f != nil && !f.corrupt || h.down[noPartition] != nil
}

// trouble is the newest error while something fails.
func (h *health) trouble() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.down) == 0 {
		return ""
	}
	return h.last
}

// toRead are the rights of a source.
const toRead = "Read and Describe on the topic, and Read on the group if one is named"
