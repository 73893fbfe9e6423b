// Package lgb is local generalization and bucketization (Li, He and Sun): records of
// equal flags are cut into groups, and the sensitive values of each semi-sensitive
// attribute into buckets of their own.
//
// Guarantee and method: LGB. A bucket that lies across groups breaks 1/l for who
// counts each assignment once; LGB.Nested avoids that.
package lgb
