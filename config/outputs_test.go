package config_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

const delivery = `version: 1
dataset: hospital
release: {dir: ./releases}
outputs:
  kafka: {brokers: [b:9092], topic: out}
  postgres: {url: "${URL}"}
`

// TestDeliveryNeedsNoMore: a file with what delivery needs will do, and of the daemon's own
// file the secrets are not read, which another user could not.
func TestDeliveryNeedsNoMore(t *testing.T) {
	env := lookup(map[string]string{"URL": "postgres://a:secret@b/c"})
	d, warnings, err := config.LoadDelivery("d.yaml", env, oneFile("d.yaml", delivery))
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.NoError(t, d.NeedKafka())
	require.NoError(t, d.NeedPostgres())
	assert.Equal(t, "hospital", d.Dataset)
	assert.Equal(t, "hospital", d.Outputs.Postgres.Table)
	assert.Equal(t, "releases", d.Dir)
	assert.Equal(t, "postgres://a:secret@b/c", d.Outputs.Postgres.URL.Reveal())

	whole := strings.Replace(fromKafka, "topic: admissions\n", "topic: admissions\n    sasl: {password: \"${file:/run/private}\", "+
		"mechanism: plain}\n", 1) + delivery[strings.Index(delivery, "outputs:"):]
	var asked []string
	read := func(name string) ([]byte, error) {
		if name == "d.yaml" {
			return []byte(whole), nil
		}
		asked = append(asked, name)
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	_, _, err = config.LoadDelivery("d.yaml", env, read)
	require.NoError(t, err)
	assert.Empty(t, asked, "no other file is opened")
	_, _, err = config.Load("d.yaml", env, read)
	require.ErrorContains(t, err, "source.kafka.sasl.password")
}

// TestDeliveryFaults: what is wrong is named, and what delivery does not need may be
// missing, but not misspelt.
func TestDeliveryFaults(t *testing.T) {
	env := lookup(map[string]string{"URL": "postgres://a:secret@b/c"})
	for _, c := range []struct{ from, to, want string }{
		{"dataset: hospital\n", "", "dataset: is missing"},
		{"release: {dir: ./releases}\n", "", "release.dir: is missing"},
		{"dataset:", "shard: {of: 4, run: [1, 2]}\ndataset:", "shard: is of several shards; name one: SHARD=1"},
		{"dataset:", "polcy: {k: 3}\ndataset:", "polcy: is an unknown key"},
		{"topic: out", "topic: out, max_message_bytes: 1000", "outputs.kafka.max_message_bytes: is too small"},
		{"topic: out", "topic: out, tls: {cert: c.pem}", "outputs.kafka.tls.cert: is set, but tls is not enabled"},
		{"topic: out", "topic: out, sasl: {username: u}", "outputs.kafka.sasl: has credentials, but no mechanism"},
		{"topic: out", "topic: out, sasl: {mechanism: plain, username: u, password: p}", ""},
		{`"${URL}"`, `"${MISSING}"`, "outputs.postgres.url: needs the environment variable MISSING"},
		{"outputs:", "outputs:\n  poll: 1ms", `outputs.poll: "1ms" is too short`},
	} {
		_, _, err := config.LoadDelivery("d.yaml", env, oneFile("d.yaml", strings.Replace(delivery, c.from, c.to, 1)))
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "secret")
	}
	d, _, err := config.LoadDelivery("d.yaml", env, oneFile("d.yaml", delivery[:strings.Index(delivery, "outputs:")]))
	require.NoError(t, err)
	for key, err := range map[string]error{"outputs.kafka.brokers": d.NeedKafka(), "outputs.postgres.url": d.NeedPostgres()} {
		var faults *config.Faults
		require.True(t, errors.As(err, &faults))
		assert.Equal(t, key, faults.List[0].Key)
	}
}

// fromKafka is the starting file with a topic as the source.
var fromKafka = strings.NewReplacer("type: stdin ", "type: kafka ", "#kafka:\n    #brokers: [127.0.0.1:9092]\n    #topic: admissions\n",
	"kafka:\n    brokers: [b:9092]\n    topic: admissions\n").Replace(config.Starting)

// TestOutputsAreNotPrivateTopics: releases go neither among the records nor among the dead
// letters.
func TestOutputsAreNotPrivateTopics(t *testing.T) {
	with := func(topic string) string {
		return fromKafka + "outputs: {kafka: {brokers: [b:9092], topic: " + topic + "}}\n"
	}
	_, _, err := config.Load("a.yaml", lookup(nil), oneFile("a.yaml", with("admissions")))
	require.ErrorContains(t, err, "outputs.kafka.topic: is the topic of the records")
	_, _, err = config.Load("a.yaml", lookup(nil), oneFile("a.yaml", with("hospital.releases")))
	require.NoError(t, err)
}
