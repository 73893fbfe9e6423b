package config

import (
	"fmt"
	"strings"
)

// Again reads the files once more that secrets for brokers and of HTTP clients refer to
// (${file:...}), and returns the configuration with what these files hold now. It differs in
// nothing else: the configuration file itself is not read.
//
// Guarantee: that of Load. A file that cannot be read, or is empty, is a fault: while a secret
// is being replaced nobody may be let in without one.
func (c *Config) Again(lookup Lookup, read ReadFile) (*Config, error) {
	next := *c
	r := newReader("", c.base, lookup, read)
	for _, k := range next.keys() {
		if n := c.refer[k.path]; n != nil && ofSecrets(k.path) {
			k.value.read(r, k.path, n)
		}
	}
	if len(r.faults) > 0 {
		f := r.faults[0]
		return nil, fmt.Errorf("%s: %s", f.Key, f.Reason) // its place may not be true any more
	}
	return &next, nil
}

// ofSecrets reports whether a key is of who anond is to its brokers, or who its clients are.
func ofSecrets(key string) bool {
	return strings.HasPrefix(key, "source.kafka.sasl.") || strings.HasPrefix(key, "http.auth.")
}
