package kafkasrc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

func event(name string) slog.Attr      { return slog.String("event", name) }
func partitionAttr(id int32) slog.Attr { return slog.Int("partition", int(id)) }

// health turns the failures and successes of many partitions into one line when
// the source breaks and one when it works again.
type health struct {
	log  *slog.Logger
	sasl bool
	mu   sync.Mutex
	down map[int32]bool // partitions whose last attempt failed
}

// works notes a success. It costs a lock and a look into an empty map.
func (h *health) works(id int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.down) == 0 || !h.down[id] {
		return
	}
	if delete(h.down, id); len(h.down) == 0 {
		h.log.Info("reading again", event("source_connected"))
	}
}

func (h *health) fails(id int32, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	attrs := []any{partitionAttr(id), slog.String("error", err.Error())}
	if hint := h.hint(err); hint != "" {
		attrs = append(attrs, slog.String("hint", hint))
	}
	switch {
	case len(h.down) == 0:
		h.log.Warn("reading failed, trying again for ever", append(attrs, event("source_disconnected"))...)
	default:
		h.log.Debug("reading still fails", append(attrs, event("source_retry"))...)
	}
	if h.down == nil {
		h.down = map[int32]bool{}
	}
	h.down[id] = true
}

func (h *health) connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.down) == 0
}

// hint says what an operator can do about an error.
func (h *health) hint(err error) string {
	switch {
	case isAuthentication(err):
		return "check sasl.mechanism, username and password"
	case isAuthorization(err):
		return "grant Read and Describe on the topic, and Read on the group if one is named"
	case isCertificate(err):
		return "check tls.ca, tls.server_name, and whether the listener speaks TLS"
	case errors.Is(err, kafka.UnknownTopicOrPartition), errors.Is(err, protocol.ErrNoTopic):
		return "create the topic, or check its name"
	case h.sasl && errors.Is(err, io.ErrUnexpectedEOF):
		return "the broker closed the connection during log-in: check sasl.mechanism, username and password"
	}
	return ""
}

func isAuthentication(err error) bool {
	return errors.Is(err, kafka.SASLAuthenticationFailed) || errors.Is(err, kafka.UnsupportedSASLMechanism) || errors.Is(err, kafka.IllegalSASLState)
}

func isAuthorization(err error) bool {
	return errors.Is(err, kafka.TopicAuthorizationFailed) || errors.Is(err, kafka.GroupAuthorizationFailed) || errors.Is(err, kafka.ClusterAuthorizationFailed)
}

func isCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &verification) || errors.As(err, &record)
}

// isPermanent tells errors that only a change of configuration or of the
// cluster's rights mends.
func isPermanent(err error) bool {
	return isAuthentication(err) || isAuthorization(err) || isCertificate(err)
}
