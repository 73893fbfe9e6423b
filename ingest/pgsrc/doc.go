// Package pgsrc reads the rows of a query in PostgreSQL once, before the source that a dataset goes on with (port
// ingest.Source): people have tables before they have feeds.
//
// # Guarantee
//
// Every row that the query has when it is read is handed out once, in the order of one column, from the position that state
// holds. The position is the value of that column: whole numbers that increase strictly, so that a restart goes on behind the
// last row that was committed, on any server that has the same rows. A column that is NULL somewhere, has a value twice or a
// negative one ends the run. Once the end was reached, the position is ingest.WholeEnd, and the query is never run again.
//
// Whoever is in the table and later in the feed is the same person (rule S, subjects): the state decides by the subject, as
// it does for any second record. Which rows come before a cut follows from that column alone, since the table is one round
// (PartitionStatus.Whole) and its cuts by count lie behind a row of the order; so the column must not depend on a sensitive
// value (rule B, buckets). The configuration refuses an attribute that is sensitive.
//
// # Method
//
// One connection reads one statement in one transaction, REPEATABLE READ and READ ONLY: all rows are of one moment. Rows come
// as the server makes them; what is read ahead is two chunks, and the server waits when nobody takes them. After a failure
// another connection reads on behind the last row that was handed out, in a snapshot of its own. Rows are text, as
// row_to_json makes it, in the envelope that the source's format has: decoders, refusals, dead letters and replay do not
// know that a record was a row.
//
// # Difference from the usual
//
// Tools that copy a database take a snapshot and the position of the log in one transaction, so that the log goes on where
// the snapshot ends. Here nothing has to fit: the feed is there before the table is read, and who is in both is one person.
//
// # Cost
//
// The transaction lasts as long as the reading; the server removes no row versions meanwhile. A query whose order no index
// gives is sorted by the server, once a connection.
package pgsrc
