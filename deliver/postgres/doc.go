// Package postgres writes releases to tables of a PostgreSQL database.
//
// Guarantee: a release is there whole or not at all, also for those who read meanwhile: it
// is one transaction. It is there once, whoever delivers it and how often: those who
// deliver take turns (an advisory lock), and a release that is there is compared by the
// SHA-256 of its manifest. Rows are as recoded, and never change. Those that left the releases
// (rule W, what may leave) are deleted in the transaction of the release in which they left.
//
// Rows of a part are there once. A release adds the rows of what it gave birth to, and the
// numbers of the classes that died in it; views make the tables of releases of that. So a
// release costs what is new.
//
// Names of attributes and values come from strangers: each name in SQL is quoted
// (pgx.Identifier), and values are sent by COPY or as parameters, never as SQL.
//
// Only this package imports pgx.
package postgres
