package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSubjectLedgerFaults: people have to be known by a digest that all datasets of a ledger share, on one host.
func TestSubjectLedgerFaults(t *testing.T) {
	const key = "subject: {key: \"${SUBJECT_KEY}\"}"
	const of = "subject: {key: \"${SUBJECT_KEY}\", ledger: people}"
	with := func(subject string, replace ...string) []string {
		return append([]string{"shard:\n  index: ${HOSTNAME}\n  of: 4\n", "", "policy: {k: 10, l: 5}",
			"policy: {k: 10, l: 5}\nrelease: {dir: out}", key, subject}, replace...)
	}
	c, err := loadShard(nil, with(of)...)
	require.NoError(t, err)
	assert.Equal(t, "/etc/anond/people", c.SubjectLedger)
	plain, err := loadShard(nil, with(key)...)
	require.NoError(t, err)
	assert.Equal(t, []string{"subject.ledger"}, c.Difference(plain), "and with it what a state is bound to")
	moved, err := loadShard(nil, with("subject: {key: \"${SUBJECT_KEY}\", ledger: /srv/people}")...)
	require.NoError(t, err)
	assert.Equal(t, c.Digests(), moved.Digests(), "the directory may move")
	for name, c := range map[string]struct {
		replace []string
		fault   string
	}{
		"no key":     {with("subject: {ledger: people}"), "subject.key: is missing, but subject.ledger is set"},
		"empty":      {with("subject: {key: \"${SUBJECT_KEY}\", ledger: \"\"}"), "subject.ledger: is an empty path"},
		"no subject": {with(of, "role: subject", "role: identifier"), "subject.ledger: is set, but no attribute has role subject"},
		"public":     {with("subject: {key: \"${SUBJECT_KEY}\", ledger: out/people}"), "subject.ledger: is inside release.dir"},
		"group": {with(of, "topic: admissions", "topic: admissions, assignment: group, group: g"),
			"subject.ledger: does not belong to source.kafka.assignment group"},
		"shard": {[]string{key, of}, "subject.ledger: does not belong to shard"},
	} {
		_, err := loadShard(nil, c.replace...)
		require.ErrorContains(t, err, c.fault, name)
		assert.NotContains(t, err.Error(), subjectSecret)
	}
}
