// Package kafkaclient reaches a topic of Kafka: dialing, TLS, log-in with passwords and tokens, connections that are rebuilt
// while they are used, offsets, settings, and a writer by key. The source of package ingest/kafkasrc and the deliveries of
// package deliver/topic share it; these two packages, and this one, are all that know kafka-go or this client.
//
// Guarantee: no password and no token enters an error, a log or a printed value. What an Access holds may be replaced while
// clients use it: new connections then have the new material.
package kafkaclient
