package dataset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"anond/config"
	"anond/internal/brokeraccess"
	"anond/internal/ops/certificate"
)

// renewal takes in certificates and secrets whose files have changed, without an order.
//
// Guarantee: what cannot be used changes nothing, and is logged once for what the files hold:
// a pair of which only one file was replaced, a file of which half was written. Kafka and
// HTTP are renewed each by itself. Nothing but files is looked at: programs that print
// secrets run at a start, at a reload and when they are needed.
//
// Method: all files are read every ten seconds and hashed. A change is taken in when a
// second look, a second later, finds the same.
type renewal struct {
	o Options

	mu   sync.Mutex // one renewal or reload at a time
	cfg  *config.Config
	seen [sha256.Size]byte // of what was dealt with
	late [sha256.Size]byte // of the newest look
}

const (
	lookEvery = 10 * time.Second
	settlesIn = time.Second
)

func NewRenewal(c *config.Config, o Options) *renewal {
	r := &renewal{o: o, cfg: c, seen: sha256.Sum256(nil)} // as if there were no files
	r.certified()
	return r
}

// Hold keeps a renewal from beginning until release is called.
func (r *renewal) Hold() (release func()) {
	r.mu.Lock()
	return r.mu.Unlock
}

// Reloaded: another configuration is in effect. The caller holds the renewal.
func (r *renewal) Reloaded(next *config.Config) {
	r.cfg = next
	r.certified()
}

// Watch looks until ctx is done.
func (r *renewal) Watch(ctx context.Context) {
	for wait := lookEvery; ; {
		ticks, stop := r.o.Clock.Ticker(wait)
		select {
		case <-ticks:
			stop()
		case <-ctx.Done():
			stop()
			return
		}
		wait = lookEvery
		if r.look() {
			wait = settlesIn
		}
	}
}

// look takes in a change that the look before has seen too. again: there is a new one.
func (r *renewal) look() (again bool) {
	defer r.Hold()()
	next, now, err := r.read()
	before := r.late
	r.late = now
	switch now {
	case r.seen:
		return false
	case before:
		r.seen = now
		r.take(next, err)
		return false
	}
	return true
}

// read reads all files: the configuration with the secrets that they hold now, and a digest
// of all. If a secret cannot be read, all of them stay as they are.
func (r *renewal) read() (next *config.Config, digest [sha256.Size]byte, err error) {
	sum := sha256.New()
	hashed := func(path string) ([]byte, error) {
		text, err := config.Regular(brokeraccess.MostOfAFile)(path)
		fmt.Fprintf(sum, "%q %d %v\n", path, len(text), err)
		sum.Write(text)
		return text, err
	}
	lookup := r.o.Lookup
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	if next, err = r.cfg.Again(lookup, hashed); err != nil {
		next = r.cfg
	}
	kafka, http := &r.cfg.Source.Kafka.TLS, &r.cfg.HTTP.TLS
	for _, path := range []string{kafka.CA, kafka.Cert, kafka.Key, http.Cert, http.Key, http.ClientCA} {
		if path != "" {
			_, _ = hashed(path) // whoever uses it says what is wrong with it
		}
	}
	return next, [sha256.Size]byte(sum.Sum(nil)), err
}

// take puts in effect what can be used of what the files hold.
func (r *renewal) take(next *config.Config, failed error) {
	if failed != nil {
		r.kept(failed)
	}
	var keys []string
	for _, prepare := range []func(*config.Config) (func() []string, error){r.o.Brokers.prepareFiles, r.o.Prepare} {
		if prepare == nil {
			continue
		}
		use, err := prepare(next)
		if err != nil {
			r.kept(err)
			continue
		}
		keys = append(keys, use()...)
	}
	if r.cfg = next; len(keys) == 0 {
		return
	}
	r.certified()
	r.o.Log.Info("certificates or secrets were replaced", "event", "credentials_renewed", "keys", keys)
}

func (r *renewal) kept(err error) {
	r.o.Log.Warn("certificates or secrets cannot be replaced by what their files hold; those before stay in use",
		"event", "credentials_kept", "error", err.Error())
}

// certified shows when the certificates for Kafka end.
func (r *renewal) certified() {
	at := r.o.Brokers.expiries()
	for _, use := range []string{certificate.KafkaClient, certificate.KafkaCA} {
		r.o.Monitor.Certified(use, at[use])
	}
}
