// Package profile says what a table of records tells before they are published: which lines are
// refused and why, how large pools have to be, what a column costs, what is seldom meant as written.
//
// Guarantee: reports name attributes, lines, counts and shares, never a value (rule V, values).
// Settings that are chosen by what it says of people may tell these people's values (Channel), so
// it is for records of others.
//
// Cost: time and memory linear in the table; TradeOffs partitions at most 10,000 records.
package profile
