package events

var ofSources = []row{
	{"unterminated_line", "warn", "file offset:integer lines:integer (line:integer)", []eventCase{
		{"", "at the end of a file is a line without line break, or (with `source.csv.multiline`) an open quote; it may still grow " +
			"and is left unread. For a followed file this is logged once if it lasts a minute",
			"end the line, or set `source.file.complete` if files do not grow; the next run reads it"}}},
	{"no_record", "info", "file lines:integer", []eventCase{
		{"", "a file has a header or blank lines only; a file is identified by its first record, so it is not read yet", "none"}}},
	{"file_set_aside", "warn", "file", []eventCase{
		{"", "a file begins like one that was read and does not continue it, or is another name of one. Nothing of it is read: " +
			"without an attribute of role `subject`, people who are in both would be published twice",
			"if nobody is in both, put another line in front, such as a blank one"}}},
	{"file_rotated", "info", "file", []eventCase{
		{"", "another file took the path of a followed one, which was read to its end; the other one comes next", "none"}}},
	{"line_grew", "warn", "file line:integer offset:integer", []eventCase{
		{"", "a last line was taken as complete and has grown. What was read of it stays; the rest is a dead letter `grown_line`",
			"compare the record with the file; do not declare growing files complete"}}},
	{"source_connected", "info", "(partitions:integer)", []eventCase{
		{"", "anond reads, or reads again after failures", "none"}}},
	{"source_disconnected", "warn", "partition:integer error (hint)", []eventCase{
		{"", "the first failure; anond retries without a limit",
			"check the broker; the hint distinguishes missing rights from network problems"}}},
	{"initial_source_connected", "info", "", []eventCase{
		{"", "anond reads the rows of `initial.source`, or reads them again after failures", "none"}}},
	{"initial_source_away", "warn", "error tries:integer", []eventCase{
		{"", "the first failure to read the rows of `initial.source`; anond retries without a limit, and goes on behind the last row",
			"check the database, and `initial.source.url`"}}},
	{"initial_source_retry", "warn, debug", "error tries:integer", []eventCase{
		{"", "further failures, after 10 s, 20 s, and so on, up to every 10 min; all others at level debug", "as above"}}},
	{"initial_source_read", "info", "rows:integer", []eventCase{
		{"", "the state has all rows of `initial.source`; the query is not run again, and `source` is read from now on. rows: of this run",
			"none; the block may stay or go"}}},
	{"source_unreached", "warn", "source_type hint", []eventCase{
		{"", "the source has not been reached for 30 s since the start", "is `source.type` where the records are? If so, make sure that " +
			"it can be reached"}}},
	{"source_token_failed", "warn", "error usable:boolean", []eventCase{
		{"", "`source.kafka.sasl.token_command` gave no bearer token. `usable`: the token before is still good, and is used for new " +
			"connections. anond tries again, at most every 30 s", "run the program by hand, as the user of anond"}}},
	{"source_retry", "warn, debug", "error (partition:integer) (hint) (tries:integer) (for) (partitions_failing:integer)", []eventCase{
		{"", "further failures. Each failing partition is named again after 10 s, 20 s, and so on, up to every 10 min; a fault that " +
			"several partitions share is logged once. All other retries are logged at level debug", "as above"}}},
	{"source_stalled", "error", "partition:integer for connections_rebuilt:boolean", []eventCase{
		{"", "there are records to read, but none arrive; repeated at growing intervals",
			"if it repeats, check the broker, or look for a batch that cannot be read"}}},
	{"source_corrupt", "error", "partition:integer from:integer next:integer tries:integer on_corrupt error", []eventCase{
		{"", "a batch cannot be read in repeated attempts; anond stops, or continues behind it",
			"[KAFKA.md](KAFKA.md#a-batch-that-cannot-be-read)"}}},
	{"source_partition_added", "info", "partition:integer first:integer", []eventCase{
		{"", "the topic has a new partition; it is read from its first offset", "none"}}},
	{"shard_stopped", "error", "partition:integer offset:integer error", []eventCase{
		{"", "a record of a shard is not where the key of its person leads, or one before it is missing; exit 78",
			"[SCALING.md](../shards/SCALING.md#when-a-shard-stops)"}}},
	{"repartition_started", "info", "from to partitions:integer", []eventCase{
		{"", "`anond repartition` begins, or goes on; partitions are those of the topic that it writes", "none"}}},
	{"repartition_status", "info", "written:integer unreadable:integer", []eventCase{
		{"", "each minute: records of this run that were keyed by their subjects, and those whose subjects cannot be read",
			"none; those become dead letters of shards, which tell why"}}},
	{"repartition_ended", "info", "written:integer unreadable:integer", []eventCase{
		{"", "`anond repartition` ends; counts as in repartition_status", "none"}}},
	{"repartition_write_failed", "error", "partition:integer error tries:integer", []eventCase{
		{"", toldWithTries + "the topic that `anond repartition` writes takes nothing; the same request is sent again",
			"check the brokers and the rights of this client"}}},
	{"source_partitions_changed", "error", "partitions:integer error", []eventCase{
		{"", "the topic of a shard has other partitions than when it was first read, or fewer than there are shards; exit 78",
			"[SCALING.md](../shards/SCALING.md#when-a-shard-stops)"}}},
	{"source_gap", "error", "partition:integer want:integer have:integer on_gap", []eventCase{
		{"", "records were deleted before they were read", "raise retention; see [exit code 1](EXIT_CODES.md#exit-codes)"}}},
	{"source_replaced", "error", "partition:integer error", []eventCase{
		{"", "the topic or file was replaced by another one of the same name, or an election lost records that were read; anond stops",
			"see [exit code 1](EXIT_CODES.md#exit-codes)"}}},
	{"source_unverified", "warn", "partition:integer offset:integer", []eventCase{
		{"", "the last record read is no longer in the log, so anond cannot check that it is the same log",
			"none after long pauses; otherwise find out who deleted records"}}},
	{"stamp_ahead", "warn", "partition:integer offset:integer records:integer", []eventCase{
		{"", "with `subject.settle` as a time: the time stamp of a record lies more than a day ahead of the clock of this machine and counts " +
			"as none. Logged of the first such record, the second, the fourth and so on; `records`: how many the state has seen",
			"correct the clock of the producer, or of this machine; set `message.timestamp.after.max.ms` of the topic"}}},
	{"source_commit_failed", "warn", "group error", []eventCase{
		{"", "best-effort offset commits to the group fail", "lag tools show old numbers; anond itself is not affected"}}},
	{"source_lease_acquired", "info", "generation:integer", []eventCase{
		{"", "this instance reads and publishes", "none"}}},
	{"source_lease_lost", "error", "why", []eventCase{
		{"", "this instance lost the lease and stops publishing", "see `lease_lost`"}}},
	{"source_stuck", "warn", "", []eventCase{
		{"", "at a stop, a read of the source did not return within five seconds, for instance because the disk hangs; anond ended " +
			"without waiting for it", "check the disk of the source"}}},
	{"source_lease_standby", "info", "", []eventCase{
		{"", "another instance is active", "none"}}},
	{"source_lease_released", "info", "", []eventCase{
		{"", "the lease was released at a stop", "none"}}},
}
