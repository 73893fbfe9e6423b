package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// The schemas of a topic: a later version moves fields, one renames a field without an alias, and the key is a record.
const (
	admissionV1 = `{"type":"record","name":"Admission","fields":[{"name":"patient","type":"string"},{"name":"age","type":"int"},
		{"name":"sex","type":"string"},{"name":"postcode","type":"string"},{"name":"admission","type":"string"},
		{"name":"diagnosis","type":"string"}]}`
	admissionV2 = `{"type":"record","name":"Admission","fields":[{"name":"diagnosis","type":["null","string"]},{"name":"ward","type":"long"},
		{"name":"patient","type":"string"},{"name":"years","aliases":["age"],"type":"long"},
		{"name":"sex","type":{"type":"enum","name":"Sex","symbols":["M","F"]}},{"name":"postcode","type":"string"},
		{"name":"admission","type":"string"}]}`
	admissionV3 = `{"type":"record","name":"Admission","fields":[{"name":"patient","type":"string"},{"name":"age","type":"int"},
		{"name":"gender","type":"string"},{"name":"postcode","type":"string"},{"name":"admission","type":"string"},
		{"name":"diagnosis","type":"string"}]}`
	admissionKey = `{"type":"record","name":"Key","fields":[{"name":"patient","type":"string"}]}`
)

// TestATopicOfASchemaRegistry: from anond init to a certified release, over two versions of a schema; deletes by keys in Avro; a
// schema that lacks an attribute ends the run before any of its records is a dead letter, and once it has an alias the run goes on.
func TestATopicOfASchemaRegistry(t *testing.T) {
	tier.NotShort(t, "it starts a broker")
	t.Parallel()
	schemas := srfake.New()
	t.Cleanup(schemas.Close)
	registered := func(third string) {
		schemas.Reset()
		for i, schema := range []string{admissionV1, admissionV2, third, admissionKey} {
			schemas.SeedSchema(fmt.Sprint("s", i), 1, 101+i, sr.Schema{Schema: schema})
		}
	}
	registered(admissionV3)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "admissions"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("admissions"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	framed := func(id int, schema string, value map[string]any) []byte {
		out, err := avro.MustParse(schema).Encode(value)
		require.NoError(t, err)
		return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), out...)
	}
	send := func(id int, schema, who string) {
		for i := range 600 {
			patient := fmt.Sprint("person-", who, i)
			value := map[string]any{"patient": patient, "age": 20 + i%60, "sex": "MF"[i%2 : i%2+1], "postcode": fmt.Sprint(1100 + i%9),
				"admission": "planned", "diagnosis": ills[i%len(ills)]}
			value["years"], value["ward"], value["gender"] = value["age"], 7, value["sex"]
			r := &kgo.Record{Key: framed(104, admissionKey, map[string]any{"patient": patient}), Value: framed(id, schema, value)}
			require.NoError(t, client.ProduceSync(context.Background(), r).FirstErr())
		}
	}
	send(101, admissionV1, "a")

	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	r := s.run("init --k 5 --l 3 --topic admissions --sensitive diagnosis", "--kafka", cluster.ListenAddrs()[0])
	assert.Contains(t, r.stderr, "set source.registry.url (anond init --registry), or have a converter write plain JSON")
	r = s.run("init --k 5 --l 3 --topic admissions --sensitive diagnosis", "--kafka", cluster.ListenAddrs()[0], "--registry", schemas.URL())
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, s.read("anond.yaml"), fmt.Sprintf("registry: {url: %q}", schemas.URL()))
	s.edit("policy:", "initial: {min_pool: 100}\nsubject: {deletes: forget}\ncontrol: {socket: ./c.sock}\npolicy:")
	s.must("run --once")
	require.Zero(t, s.addsUp(600))

	send(102, admissionV2, "b")
	gone := &kgo.Record{Key: framed(104, admissionKey, map[string]any{"patient": "person-b7"})}
	require.NoError(t, client.ProduceSync(context.Background(), gone).FirstErr())
	s.must("run --once")
	assert.EqualValues(t, 2, s.addsUp(1201), "the record, and the delete")
	assert.True(t, s.receipt("person-b7").Before)
	release := s.counts().Counts.Release
	s.certified(release)

	send(103, admissionV3, "c")
	r = s.run("run --once")
	assert.Equal(t, exitConfig, r.code, r.stderr)
	assert.Contains(t, r.stderr, "Admission has no value at /sex for attribute sex")
	s.addsUp(1201)

	registered(strings.Replace(admissionV3, `"gender"`, `"gender","aliases":["sex"]`, 1))
	s.must("run --once")
	s.addsUp(1801)
	assert.Contains(t, s.must("audit"), "CERTIFIED")
}
