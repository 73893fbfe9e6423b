package events

// ofUnion are the events of anond union.
var ofUnion = []row{
	{"union_published", "info", "release:integer records:integer pending:integer classes:integer shards:integer ms:integer", []eventCase{
		{"", "a release of all shards is published, by this process or by another one at the same time; `shards` have a part in it",
			"none"}}},
	{"union_waiting", "warn", "shards:texts begun:boolean", []eventCase{
		{"", "these shards have no release yet. The first release of the union waits for them (`begun` is false), unless `--without` " +
			"names them", "look at these shards: the first load, or an `infeasible` pool. Mind that a wrong path looks the same"}}},
	{"union_failed", "error", "error tries:integer", []eventCase{
		{"", toldWithTries + "an attempt failed; the newest release stays, and the next attempt follows after `--every`",
			"the error says what is in the way. Settings of shards that differ while they are restarted one by one need nothing"}}},
	{"shard_stale", "warn", "shard:integer release:integer age", []eventCase{
		{"", "the newest release of the shard is older than `--stale-after`; the union keeps the parts it has of it. Logged once",
			"look at the shard: does it run, do records arrive, is a release parked"}}},
	{"shard_fresh", "info", "shard:integer release:integer", []eventCase{
		{"", "a shard that was stale has published again", "none"}}},
}
