package events

var ofProcess = []row{
	{"started", "info", "dataset source release:integer records:integer k:integer " +
		"(l:integer) (promises:integer) (first_load_wants:integer) (of:integer)", []eventCase{
		{"", "state is open, the loop begins; before release 1 with the least number of people that it has " +
			"(`initial.min_pool`). `l` is that of " +
			"attributes without a promise; `promises` counts attributes that have one",
			"none"}}},
	{"forgotten_again", "warn", "published:integer unpublished:integer", []eventCase{
		{"", "the list next to the ledger names people whom the state did not know as forgotten: it was restored from a backup, or " +
			"`anond forget` was interrupted. The state has forgotten them, before any record was read", "none; make a new backup"}}},
	{"forgotten", "info", "people:integer published:integer unpublished:integer ms:integer", []eventCase{
		{"", "the state has forgotten people: those whose deletes were read, and whom `anond forget` named. `published` and " +
			"`unpublished` count their records. While anond runs, free pages of the state may hold what was removed (`state.stale`)",
			"none; restart anond when convenient"}}},
	{"departed", "info", "people:integer ms:integer", []eventCase{
		{"", "a release without them is published, so values, classes and buckets of these people have left the state; a digest of each stays. " +
			"Free pages of the state may hold what was removed (`state.stale`)", "none; restart anond when convenient"}}},
	{"forget_deferred", "warn", "people:integer error", []eventCase{
		{"", "anond has to forget people and cannot yet, as `error` says: a release is decided and not published (level L1), they are " +
			"in a pool that is fixed and not decided (level L2), the state has nobody else, or the disk has no room for a second " +
			"file. Their records are blocked, and the next cut forgets them",
			"none; if the first pool was refused: decide about it (docs/POOLS.md, A refused first pool); of a full disk: make room"}}},
	{"shards_assigned", "info", "shards:numbers generation:integer (topic) (group)", []eventCase{
		{"", "`shard.group` has divided the shards: this process has these. A shard that it had, and has no more, is ended and handed over",
			"none"}}},
	{"shard_failed", "error", "code:integer error hint again:boolean", []eventCase{
		{"", "one of the shards of this process has ended with an error; the others run on, unless a promise does not hold (`code` 3). With " +
			"`again` it is tried again after a while", "what `hint` says; without `again` the shard stands until the process is started again"}}},
	{"backup_taken", "info", "records:integer release:integer", []eventCase{
		{"", "a shard has come to this host, and begins with the newest backup: the journal repeats what follows", "none"}}},
	{"backup_unused", "warn", "error", []eventCase{
		{"", "a shard has come to this host, and the newest backup cannot be used. It begins with the state of this host, if there is one",
			"look at `state.backup.dir`: is it the same on all hosts"}}},
	{"journal_followed", "info", "entry:integer entries:integer records:integer releases:integer ms:integer", []eventCase{
		{"", "a start has done again what the journal has and the state had not (`shard.journal`): so many entries, records and " +
			"releases. The state is at `entry`, and this process is the one that goes on", "none"}}},
	{"journal_away", "warn", "error", []eventCase{
		{"", "the topic of the journal takes nothing (`shard.journal`). Nothing is committed and no release is made until it does",
			"see whether the brokers run, and as many replicas are in sync as `min.insync.replicas` asks for"}}},
	{"journal_weak", "warn", "reason remedy", []eventCase{
		{"", "at the start: the topic of the journal (`shard.journal`) may lose entries with one broker: it has one replica, " +
			"`min.insync.replicas` is 1, or unclean elections are allowed. A lost entry is noticed by whoever has to repeat it (exit " +
			"5)", "follow `remedy`; three replicas and `min.insync.replicas=2`"}}},
	{"state_cleaned", "info", "", []eventCase{
		{"", "the start has rewritten the state: no page of the file holds who was forgotten while anond ran", "none"}}},
	{"status", "info", "sent:integer published:integer pending:integer dead_letter:integer outbox:integer classes:integer " +
		"release:integer (public_release:integer) infeasible:boolean connected:boolean lag:integer lag_known:boolean lags:lags " +
		"stalled:boolean unterminated:integer (waiting:integer) (pool_needs:integer) (pool_possible:boolean) (pool_bounded:boolean) " +
		"(pool_missing:integer) (beyond:integer) (expired:integer) " +
		"(withdrawn:integer) (forgotten:integer) (forget_due:integer) (outdated:integer) (doing) (for) " +
		"(paused:boolean) (full:boolean) (quarantined_for:texts) (damaged_files:integer) (damaged_file)", []eventCase{
		{"", "once a minute, also while anond waits for its source or decides about a release. `lags`: the 16 partitions with the " +
			"largest lag. `doing`: see [status.json](STATUS.md#statusjson)", "monitor it"}}},
	{"service_manager_away", "warn", "error", []eventCase{
		{"", "the service manager that started anond (`NOTIFY_SOCKET`) cannot be told how it stands; logged once",
			"the unit has Type=notify and NotifyAccess=main; with WatchdogSec the manager will end anond"}}},
	{"status_failed", "warn", "error", []eventCase{
		{"", "status.json cannot be written; logged once", "look at the disk of the state"}}},
	{"quota_reached", "warn", "bytes:integer left:integer", []eventCase{
		{"", "the state has no room for another record below `state.max_bytes` (`bytes`): nothing is read; releases use what is `left`",
			"raise `state.max_bytes` and run `anond reload`; or stop anond and run `anond state compact`"}}},
	{"quota_resumed", "info", "bytes:integer left:integer", []eventCase{
		{"", "the state has room again, and reading goes on", "none"}}},
	{"compacting", "info", "bytes:integer free:integer written:integer", []eventCase{
		{"", "the start rewrites the state without its free pages (`state.compact`); repeated every 10 s with what is written of " +
			"`bytes` less `free`", "wait; a stop leaves the state as it was"}}},
	{"compacted", "info", "bytes_before:integer bytes:integer free:integer ms:integer", []eventCase{
		{"", "the start has rewritten the state without its free pages", "none"}}},
	{"compaction_skipped", "info", "bytes:integer free:integer needs:integer room:integer", []eventCase{
		{"", "much of the state is free, but the disk has no room for the copy that compaction makes: it has `room`, the copy `needs` " +
			"more", "make room, and restart anond when convenient"}}},
	{"compaction_failed", "warn", "error", []eventCase{
		{"", "the state was not compacted at the start, or not rewritten after people were forgotten, and is used as it is",
			"the error says why; `anond state compact` tries it again while anond is stopped"}}},
	{"backup_made", "info", "file release:integer records:integer bytes:integer sha256 ms:integer", []eventCase{
		{"", "a copy of the state was made and loaded once", "none"}}},
	{"backup_failed", "error", "error", []eventCase{
		{"", "no copy of the state was made; the next release is followed by the next attempt",
			"check `state.backup.dir`: room, permissions"}}},
	{"backup_sent", "info", "file release:integer ms:integer", []eventCase{
		{"", "`state.backup.command` has taken a backup elsewhere", "none"}}},
	{"backup_not_sent", "error", "file error", []eventCase{
		{"", "a backup was made, and `state.backup.command` has failed, or has taken more than an hour; the next release is followed by the " +
			"next attempt", "run the program by hand, with the path of the backup as its last argument"}}},
	{"dead_letter_failed", "error", "error tries:integer", []eventCase{
		{"", toldWithTries + "dead letters cannot be delivered; they stay in the state, and delivery is retried at most 30 s apart. " +
			"Nothing else waits for them", "check the disk or topic of dead letters; the error says what is missing"}}},
	{"dead_letter_kept", "warn", "outbox:integer error", []eventCase{
		{"", "the source is at its end and the sink accepted no dead letters for 10 s: they stay in the state",
			"repair the sink; the next run delivers them"}}},
	{"clock_behind", "warn", "by (release:integer)", []eventCase{
		{"", "the clock was set back by a minute or more, or (at start) the newest release has a time in the future. The schedule " +
			"follows the clock", "check the time service of this machine"}}},
	{"deadletter_payload_dropped", "warn", "letter:letter", []eventCase{
		{"", "a dead letter was too large for its topic and was sent without payload",
			"raise the topic's max.message.bytes, or leave payloads off"}}},
	{"draining", "info", "(doing) (release:integer)", []eventCase{
		{"", "a stop was requested; the fields show what anond was doing, and the release in progress", "wait"}}},
	{"stopped", "info", "(outbox:integer) (sent:integer) (published:integer) (pending:integer) (dead_letter:integer) " +
		"(beyond:integer) (expired:integer) (withdrawn:integer) " +
		"(ignored:integer) (header:integer) (blank:integer) (continued:integer) (unterminated:integer) " +
		"(without_record:integer) (files_set_aside:integer)", []eventCase{
		{"", "stopped as requested", "none, unless lines were left unread"}}},
	{"people_wait", "info", "waiting:integer missing:integer", []eventCase{
		{"", "the last line of `anond run --once`, which ends with 0, if somebody waits: for what, how many are missing, and until " +
			"when at the latest", "none: the next run goes on"}}},
	{"failed", "error", "code:integer error hint", []eventCase{
		{"", "the run ends with an error; `code` is its [exit code](EXIT_CODES.md#exit-codes), `hint` the next step, which may be " +
			"empty. Not of a configuration that cannot be read: then there is no log yet",
			"what `hint` says; only with code 1 may starting again help"}}},
	{"state_locked", "warn", "error", []eventCase{
		{"", "this member has the lease, but another process still holds the state; the member waits as long as it has the lease. " +
			"Repeated at growing intervals", "the error names the pid: if that process is suspended, resume or kill it"}}},
	{"standby", "info", "group", []eventCase{
		{"", "this member waits for the lease", "none"}}},
	{"stdin_ignored", "warn", "source_type", []eventCase{
		{"", "bytes come on standard input, and `source.type` is another one: they are not read",
			"`source.type: stdin` reads standard input"}}},
	{"http_listening", "info", "address", []eventCase{
		{"", "metrics, health and dashboard are served at this address", "none"}}},
	{"http_unavailable", "warn", "error hint", []eventCase{
		{"", "the default address for metrics, health and dashboard is taken; anond runs without them",
			"set `http.listen` to a free address, or to `off`"}}},
	{"change_events", "warn", "member", []eventCase{
		{"", "a record of format json has a member by which it is a change event (`after`, `__op`, `__deleted`, `op`): an update " +
			"or delete counts as a record of its own, or none is read",
			"set `source.format: debezium`, or `debezium-flat` for flat ones, before the first run, or declare the member with role drop if " +
				"it is something else"}}},
	{"no_subject", "warn", "", []eventCase{
		{"", "no attribute has role subject",
			"if one person can have several records, give the identifying attribute role subject; otherwise each record counts as a " +
				"person"}}},
	{"elsewhere", "info", "", []eventCase{
		{"", "for the first time in this run, somebody arrives who belongs to another dataset of `subject.ledger`: such records are counted " +
			"(`counts.elsewhere`), and never published here",
			"none; for another recipient of the same people, make a view of that dataset's releases: `release.views`"}}},
	{"dead_letter_delivered", "info", "", []eventCase{
		{"", "dead letters are delivered again after failures", "none"}}},
	{"dead_letter_stuck", "warn", "", []eventCase{
		{"", "at a stop the sink did not answer within a second; undelivered dead letters stay in the state",
			"check the disk of dead letters"}}},
	{"reloaded", "info", "keys:texts", []eventCase{
		{"", "the configuration was read again; these keys have changed", "none"}}},
	{"reload_failed", "error", "error", []eventCase{
		{"", "the configuration was not taken in, and all settings stay: the file has a fault, or a key has changed that a running " +
			"daemon cannot change", "correct the file, or restart anond"}}},
	{"credentials_renewed", "info", "keys:texts", []eventCase{
		{"", "certificates or secrets were taken in whose files had changed; new connections use them", "none"}}},
	{"credentials_kept", "warn", "error", []eventCase{
		{"", "files of certificates or secrets have changed and cannot be used: a key does not fit its certificate, a file is empty, " +
			"broken or gone. Those before stay in use; logged once for what the files hold",
			"complete the files: they are taken in within a quarter of a minute. `anond doctor` looks at them"}}},
	{"config_warning", "warn", "", []eventCase{
		{"", "a warning about the configuration that a start or a reload has read", "`anond config check`"}}},
	{"too_many_refused", "warn", "records:integer refused:integer max_share:number reasons", []eventCase{
		{"", "of the newest thousand records more were refused than `dead_letter.max_share` allows: anond pauses; or a run that ends " +
			"has refused that much, or everything, and publishes nothing more. `records` and `refused` are those of the run, " +
			"`reasons` counts the latter",
			"correct the producer or the configuration, then `anond resume`, which lets twice the share be refused. People whose value " +
				"may have caused it are never published later ([why](THREAT_MODEL.md#refused-for-a-value)); until the first pool is " +
				"fixed, `anond state reset` begins anew"}}},
	{"paused", "warn", "(since) (file)", []eventCase{
		{"", "anond reads nothing, and no release begins by the trigger. At a start `since` and `file` tell of a pause that was asked " +
			"for earlier", "`anond resume`"}}},
	{"resumed", "info", "", []eventCase{
		{"", "reading goes on after a pause", "none"}}},
	{"control_order", "info", "order", []eventCase{
		{"", "somebody gave an order over the control socket", "none"}}},
	{"control_refused", "warn", "uid:integer", []eventCase{
		{"", "a process of another user connected to the control socket, and was answered nothing", "find out who"}}},
	{"disk_forecast", "warn", "", []eventCase{
		{"", "a disk will be full within two weeks; the message names it and the date. Logged once while it is so", "make room"}}},
	{"directory_unreadable", "warn", "key path", []eventCase{
		{"", "a directory of a configured path, or the one above it, may be entered and not be read, so it cannot be opened to make " +
			"the names in it durable; that is left out, at each start",
			"give the user of anond the right to read the directory, or make sure that what is below it survives a power cut"}}},
	{"disk_unknown", "warn", "error", []eventCase{
		{"", "the use of the disks cannot be measured", "look at the directory of the releases"}}},
	{"lease_lost", "warn", "", []eventCase{
		{"", "another member got the lease; this one stands by again", "none, unless it happens often: raise `session_timeout`"}}},
}
