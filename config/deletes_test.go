package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestDeletesThatCannotForget: deletes of the source are off by default, and not to be had under settings
// under which a state cannot forget published people.
func TestDeletesThatCannotForget(t *testing.T) {
	c, said := loadChanged(t, "subject: {repeat: first}", "subject: {}")
	require.Equal(t, config.RefuseDeletes, c.Deletes)
	require.Empty(t, said)
	const subject, rest = "subject: {repeat: first}\n", "policy: {level: L1, k: 10, l: 5}\ninitial: {max_records: 0}\n"
	const others = "    - {name: age, role: quasi, type: integer}\n    - {name: city, role: quasi, type: categorical}\n" +
		"    - {name: diagnosis, role: sensitive, type: categorical}\n"
	for _, x := range []struct{ from, to, want string }{
		{subject, "subject: {deletes: forget}\n", ""},
		{subject + rest + "release: {dir: out}", "subject: {deletes: forget}\n" + rest + "release: {dir: out, recoding: permutation}",
			"subject.deletes: is forget, but release.recoding permutation shows quasi-identifiers exactly, so published people cannot be forgotten"},
		{"    - {name: patient, role: subject}\n" + others + subject, others + "subject: {deletes: forget}\n",
			"subject.deletes: is forget, but no attribute has role subject"},
		{"source: {type: kafka, kafka: {brokers: [b:9092], topic: in}}\ndead_letter: {path: letters}\nschema:",
			"source: {type: file, format: debezium, file: {path: in.json}}\ndead_letter: {path: letters}\nschema:", ""},
		{subject, "subject: {deletes: forget, key: " + strings.Repeat("0123456789abcdef", 4) + "}\nshard: {index: 0, of: 2, key: digest}\n",
			"subject.deletes: is forget, but shard.key is digest, and a topic of anond repartition does not say whom a delete names"},
	} {
		_, said := loadChanged(t, x.from, x.to)
		if x.want == "" {
			require.Empty(t, said)
			continue
		}
		require.Contains(t, said, x.want)
	}
}
