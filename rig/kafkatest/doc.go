// Package kafkatest is a test suite that runs the real anond process against one of
// four kinds of brokers:
//
//	KAFKA_JARS=dir                Apache Kafka, started here from its jars (make test-kafka)
//	KAFKA_JARS=dir KAFKA_NODES=3  a cluster of three nodes of it (make test-kafka-cluster)
//	KAFKA_BROKERS=host:port       a running broker, without TLS or SASL
//	none of them                  kfake, in this process
//
// The suite is portable: tests that a broker does not support are skipped with the
// reason. rig/docs/BROKERS.md has the table of its tests; a test keeps them equal. Records
// are written by other clients than the one that anond reads with: franz-go, and
// kcat (librdkafka) if it is installed. With KAFKATEST_LOG=1 the logs of
// all anond processes are shown, not only those of failed tests.
package kafkatest
