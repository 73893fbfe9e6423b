// Package kafkatest holds one suite that runs the real anond process against a
// broker, and the three brokers it can run against:
//
//	KAFKA_JARS=dir           Apache Kafka, started here from its jars (make test-kafka)
//	KAFKA_BROKERS=host:port  any broker that is there already, without TLS or SASL
//	neither                  kfake, in this process
//
// The suite is portable: what a broker cannot do is skipped with its reason. Its
// table, fault by fault, is in docs/KAFKA.md; a test holds the two together.
// Records are written by other clients than the one anond reads with: franz-go,
// and kcat (librdkafka) where it is installed. With KAFKATEST_LOG=1 the logs of
// all anond processes are shown, not only those of failed tests.
package kafkatest
