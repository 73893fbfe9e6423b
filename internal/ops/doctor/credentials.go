package doctor

import (
	"context"
	"crypto/tls"
	"os"
	"time"

	"anond/config"
	"anond/internal/dataset"
	"anond/internal/ops/certificate"
)

// certificates looks at the files as they are: a running daemon takes them in by itself.
func (e *examination) certificates() {
	kafka, http := &e.Config.Source.Kafka.TLS, &e.Config.HTTP.TLS
	if dataset.UsesKafka(e.Config) && kafka.Enabled {
		e.expiry("source.kafka.tls.ca", kafka.CA, certificate.AuthoritiesEnd)
		e.pair("source.kafka.tls", kafka.Cert, kafka.Key)
	}
	if e.Config.HTTP.Listen != config.HTTPOff {
		e.pair("http.tls", http.Cert, http.Key)
		e.expiry("http.tls.client_ca", http.ClientCA, certificate.AuthoritiesEnd)
	}
}

// pair looks at a certificate and its key.
func (e *examination) pair(block, cert, key string) {
	if cert == "" {
		return
	}
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		e.add(Failed, block, "write both files anew: the certificate with its chain, and the key that belongs to it",
			"cert and key cannot be used: %v", err)
		return
	}
	e.expiry(block+".cert", cert, certificate.ChainEnds)
}

// expiry says when certificates end.
func (e *examination) expiry(key, path string, ends func([]byte) (time.Time, error)) {
	if path == "" {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		e.add(Failed, key, "make the file readable by the user of anond", "it cannot be read: %v", err)
		return
	}
	at, err := ends(text)
	if err != nil {
		e.add(Failed, key, "write certificates in PEM form into it", "%s %v", path, err)
		return
	}
	until, remedy := at.UTC().Format(time.RFC3339), "replace the file: a running anond takes it in by itself"
	switch left := at.Sub(e.Now); {
	case left <= 0:
		e.add(Failed, key, remedy, "its certificate has ended on %s", until)
	case left < certificate.Soon:
		e.add(Warning, key, remedy, "its certificate ends on %s", until)
	default:
		e.add(OK, key, "", "good until %s", until)
	}
}

// tokenSoon is how long before its end a token of a file should have been replaced.
const tokenSoon = time.Minute

// token says when the bearer token ends that the next connection would use.
func (e *examination) token(ctx context.Context) {
	s := &e.Config.Source.Kafka.SASL
	if !dataset.UsesKafka(e.Config) || s.Mechanism != config.OAuthBearer {
		return
	}
	check, remedy := "source.kafka.sasl.token_command", "look at what the program prints, and at the service that issues the tokens"
	if s.TokenFile != "" {
		check, remedy = "source.kafka.sasl.token_file", "see that the file is replaced before its token ends"
	}
	bounded, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	ends, err := dataset.TokenEnds(bounded, e.Config)
	switch left := ends.Sub(e.Now); {
	case err != nil:
		e.add(Failed, check, remedy, "there is no token: %v", err)
	case ends.IsZero():
		e.add(Note, check, "", "there is a token; when it ends is not told: it is no JSON Web Token with exp")
	case left <= 0:
		e.add(Failed, check, remedy, "the token has ended on %s", ends.UTC().Format(time.RFC3339))
	case left < tokenSoon && s.TokenFile != "":
		e.add(Warning, check, remedy, "the token ends on %s", ends.UTC().Format(time.RFC3339))
	default:
		e.add(OK, check, "", "the token is good until %s", ends.UTC().Format(time.RFC3339))
	}
}
