package kafkasrc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"anond/internal/fault"
	"anond/internal/retry"
)

func event(name string) slog.Attr      { return slog.String("event", name) }
func partitionAttr(id int32) slog.Attr { return slog.Int("partition", int(id)) }

// health turns the failures and successes of many partitions into few lines:
// one when the first of them breaks, one when all work again, and in between
// each one that fails is named again, at distances that double.
type health struct {
	log    *slog.Logger
	access *Access
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
	f.corrupt = isCorrupt(err)
	h.last = err.Error()
	attrs := []any{partitionAttr(id), slog.String("error", err.Error())}
	if hint := fault.Hint(h.access.explained(err, toRead)); hint != "" {
		attrs = append(attrs, slog.String("hint", hint))
	}
	switch {
	case isStarting(err) && now.Sub(f.since) < retry.FirstSilence:
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
	if isCorrupt(err) {
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

func (h *health) connected() bool { return h.trouble() == "" }

// trouble is the newest error while something fails.
func (h *health) trouble() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.down) == 0 {
		return ""
	}
	return h.last
}

// explained gives an error of a broker its hint. rights are those that the client needs.
func (a *Access) explained(err error, rights string) error {
	switch {
	case err == nil:
		return nil
	case isAuthentication(err):
		return fault.With(0, a.credentials(), err)
	case isAuthorization(err):
		return fault.With(0, "grant "+rights, err)
	case isCertificate(err):
		return fault.With(0, "check tls.ca, tls.server_name, and whether the listener speaks TLS", err)
	case errors.Is(err, kafka.UnknownTopicOrPartition), errors.Is(err, protocol.ErrNoTopic):
		return fault.With(0, "create the topic, or check its name", err)
	case a.mechanism() != "" && errors.Is(err, io.ErrUnexpectedEOF):
		return fault.With(0, "the broker closed the connection during log-in: "+a.credentials(), err)
	}
	return err
}

// toRead are the rights of a source.
const toRead = "Read and Describe on the topic, and Read on the group if one is named"

// credentials says what to check when a broker refuses to let this client in.
func (a *Access) credentials() string {
	if a.mechanism() != oauthBearer {
		return "check sasl.mechanism, username and password"
	}
	why := ""
	if r := a.refused.Load(); r != nil {
		why = r.String(time.Now()) + ": "
	}
	return why + "check sasl.mechanism, and what sasl.token_file or sasl.token_command gives"
}

// isStarting tells what a group says that is new, or whose coordinator has just
// moved: it passes by itself within seconds.
func isStarting(err error) bool {
	return errors.Is(err, kafka.GroupCoordinatorNotAvailable) || errors.Is(err, kafka.GroupLoadInProgress) ||
		errors.Is(err, kafka.NotCoordinatorForGroup) || errors.Is(err, kafka.RebalanceInProgress)
}

func isAuthentication(err error) bool {
	return errors.Is(err, kafka.SASLAuthenticationFailed) || errors.Is(err, kafka.UnsupportedSASLMechanism) ||
		errors.Is(err, kafka.IllegalSASLState)
}

func isAuthorization(err error) bool {
	return errors.Is(err, kafka.TopicAuthorizationFailed) || errors.Is(err, kafka.GroupAuthorizationFailed) ||
		errors.Is(err, kafka.ClusterAuthorizationFailed)
}

func isCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) ||
		errors.As(err, &verification) || errors.As(err, &record)
}

// isPermanent tells errors that only a change of the configuration or of the
// cluster's rights corrects.
func isPermanent(err error) bool {
	return isAuthentication(err) || isAuthorization(err) || isCertificate(err)
}
