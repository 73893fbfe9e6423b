package kafkaclient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"anond/internal/fault"
)

// Explained gives an error of a broker its hint. rights are those that the client needs.
func (a *Access) Explained(err error, rights string) error {
	switch {
	case err == nil:
		return nil
	case IsAuthentication(err):
		return fault.With(0, a.credentials(), err)
	case IsAuthorization(err):
		return fault.With(0, "grant "+rights, err)
	case isCertificate(err):
		return fault.With(0, "check tls.ca, tls.server_name, and whether the listener speaks TLS", err)
	case errors.Is(err, kafka.UnknownTopicOrPartition), errors.Is(err, protocol.ErrNoTopic):
		return fault.With(0, "create the topic, or check its name", err)
	case a.Mechanism() != "" && errors.Is(err, io.ErrUnexpectedEOF):
		return fault.With(0, "the broker closed the connection during log-in: "+a.credentials(), err)
	}
	return err
}

// credentials says what to check when a broker refuses to let this client in.
func (a *Access) credentials() string {
	if a.Mechanism() != oauthBearer {
		return "check sasl.mechanism, username and password"
	}
	why := ""
	if r := a.refused.Load(); r != nil {
		why = r.String(time.Now()) + ": "
	}
	return why + "check sasl.mechanism, and what sasl.token_file or sasl.token_command gives"
}

// IsStarting tells what a group says that is new, or whose coordinator has just
// moved: it passes by itself within seconds.
func IsStarting(err error) bool {
	return errors.Is(err, kafka.GroupCoordinatorNotAvailable) || errors.Is(err, kafka.GroupLoadInProgress) ||
		errors.Is(err, kafka.NotCoordinatorForGroup) || errors.Is(err, kafka.RebalanceInProgress)
}

// IsAuthentication tells that a broker does not let this client in.
func IsAuthentication(err error) bool {
	return errors.Is(err, kafka.SASLAuthenticationFailed) || errors.Is(err, kafka.UnsupportedSASLMechanism) ||
		errors.Is(err, kafka.IllegalSASLState)
}

// IsAuthorization tells that this client may not do what it asks for.
func IsAuthorization(err error) bool {
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

// IsPermanent tells errors that only a change of the configuration or of the
// cluster's rights corrects.
func IsPermanent(err error) bool {
	return IsAuthentication(err) || IsAuthorization(err) || isCertificate(err)
}

// ToWrite are the rights of whoever writes a topic.
const ToWrite = "Write, Read and Describe on the topic"
