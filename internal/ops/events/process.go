package events

var ofProcess = []event{
	{Name: "started", Levels: []string{"info"}, Fields: []field{
		{Name: "dataset", Type: fieldText},
		{Name: "source", Type: fieldText},
		{Name: "release", Type: integer},
		{Name: "records", Type: integer},
		{Name: "k", Type: integer},
		{Name: "l", Type: integer},
		{Name: "first_load_wants", Type: integer, Optional: true},
		{Name: "shard", Type: integer, Optional: true},
		{Name: "of", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "state is open, the loop begins; before release 1 with the least number of people that it has (`initial.min_pool`)",
			Action:  "none",
		},
	}},
	{Name: "forgotten_again", Levels: []string{"warn"}, Fields: []field{
		{Name: "published", Type: integer},
		{Name: "unpublished", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the list next to the ledger names people whom the state did not know as forgotten: it was restored from a backup, or " +
				"`anond forget` was interrupted. The state has forgotten them, before any record was read",
			Action: "none; make a new backup",
		},
	}},
	{Name: "forgotten", Levels: []string{"info"}, Fields: []field{
		{Name: "people", Type: integer},
		{Name: "published", Type: integer},
		{Name: "unpublished", Type: integer},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the state has forgotten people: those whose deletes were read, and whom `anond forget` named. `published` and " +
				"`unpublished` count their records. While anond runs, free pages of the state may hold what was removed (`state.stale`)",
			Action: "none; restart anond when convenient",
		},
	}},
	{Name: "forget_deferred", Levels: []string{"warn"}, Fields: []field{
		{Name: "people", Type: integer},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "anond has to forget people and cannot yet, as `error` says: a release is decided and not published (level L1), they are in " +
				"a pool that is fixed and not decided (level L2), the state has nobody else, or the disk has no room for a second file. Their " +
				"records are blocked, and the " +
				"next cut forgets them",
			Action: "none; if the first pool was refused: decide about it (docs/POOLS.md, A refused first pool); of a full disk: make room",
		},
	}},
	{Name: "journal_followed", Levels: []string{"info"}, Fields: []field{
		{Name: "entry", Type: integer},
		{Name: "entries", Type: integer},
		{Name: "records", Type: integer},
		{Name: "releases", Type: integer},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a start has done again what the journal has and the state had not (`shard.journal`): so many entries, records and " +
				"releases. The state is at `entry`, and this process is the one that goes on",
			Action: "none",
		},
	}},
	{Name: "journal_away", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the topic of the journal takes nothing (`shard.journal`). Nothing is committed and no release is made until it does",
			Action:  "see whether the brokers run, and as many replicas are in sync as `min.insync.replicas` asks for",
		},
	}},
	{Name: "journal_weak", Levels: []string{"warn"}, Fields: []field{
		{Name: "reason", Type: fieldText},
		{Name: "remedy", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "at the start: the topic of the journal (`shard.journal`) may lose entries with one broker: it has one replica, " +
				"`min.insync.replicas` is 1, or unclean elections are allowed. A lost entry is noticed by whoever has to repeat it (exit 5)",
			Action: "follow `remedy`; three replicas and `min.insync.replicas=2`",
		},
	}},
	{Name: "state_cleaned", Levels: []string{"info"}, Cases: []eventCase{
		{
			Meaning: "the start has rewritten the state: no page of the file holds who was forgotten while anond ran",
			Action:  "none",
		},
	}},
	{Name: "status", Levels: []string{"info"}, Fields: []field{
		{Name: "sent", Type: integer},
		{Name: "published", Type: integer},
		{Name: "pending", Type: integer},
		{Name: "dead_letter", Type: integer},
		{Name: "outbox", Type: integer},
		{Name: "classes", Type: integer},
		{Name: "release", Type: integer},
		{Name: "public_release", Type: integer, Optional: true},
		{Name: "infeasible", Type: boolean},
		{Name: "connected", Type: boolean},
		{Name: "lag", Type: integer},
		{Name: "lag_known", Type: boolean},
		{Name: "lags", Type: lags},
		{Name: "stalled", Type: boolean},
		{Name: "unterminated", Type: integer},
		{Name: "waiting", Type: integer, Optional: true},
		{Name: "pool_needs", Type: integer, Optional: true},
		{Name: "pool_possible", Type: boolean, Optional: true},
		{Name: "pool_bounded", Type: boolean, Optional: true},
		{Name: "pool_missing", Type: integer, Optional: true},
		{Name: "beyond", Type: integer, Optional: true},
		{Name: "forgotten", Type: integer, Optional: true},
		{Name: "forget_due", Type: integer, Optional: true},
		{Name: "outdated", Type: integer, Optional: true},
		{Name: "doing", Type: fieldText, Optional: true},
		{Name: "for", Type: fieldText, Optional: true},
		{Name: "paused", Type: boolean, Optional: true},
		{Name: "full", Type: boolean, Optional: true},
		{Name: "damaged_files", Type: integer, Optional: true},
		{Name: "damaged_file", Type: fieldText, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "once a minute, also while anond waits for its source or decides about a release. `lags`: the 16 " +
				"partitions with the largest lag. `doing`: see [status.json](STATUS.md#statusjson)",
			Action: "monitor it",
		},
	}},
	{Name: "service_manager_away", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the service manager that started anond (`NOTIFY_SOCKET`) cannot be told how it stands; logged once",
			Action:  "the unit has Type=notify and NotifyAccess=main; with WatchdogSec the manager will end anond",
		},
	}},
	{Name: "status_failed", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "status.json cannot be written; logged once",
			Action:  "look at the disk of the state",
		},
	}},
	{Name: "quota_reached", Levels: []string{"warn"}, Fields: []field{
		{Name: "bytes", Type: integer},
		{Name: "left", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the state has no room for another record below `state.max_bytes` (`bytes`): nothing is read; releases use what is `left`",
			Action:  "raise `state.max_bytes` and run `anond reload`; or stop anond and run `anond state compact`",
		},
	}},
	{Name: "quota_resumed", Levels: []string{"info"}, Fields: []field{
		{Name: "bytes", Type: integer},
		{Name: "left", Type: integer},
	}, Cases: []eventCase{
		{Meaning: "the state has room again, and reading goes on", Action: "none"},
	}},
	{Name: "compacting", Levels: []string{"info"}, Fields: []field{
		{Name: "bytes", Type: integer},
		{Name: "free", Type: integer},
		{Name: "written", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the start rewrites the state without its free pages (`state.compact`); repeated every 10 s with what is written of " +
				"`bytes` less `free`",
			Action: "wait; a stop leaves the state as it was",
		},
	}},
	{Name: "compacted", Levels: []string{"info"}, Fields: []field{
		{Name: "bytes_before", Type: integer},
		{Name: "bytes", Type: integer},
		{Name: "free", Type: integer},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{Meaning: "the start has rewritten the state without its free pages", Action: "none"},
	}},
	{Name: "compaction_skipped", Levels: []string{"info"}, Fields: []field{
		{Name: "bytes", Type: integer},
		{Name: "free", Type: integer},
		{Name: "needs", Type: integer},
		{Name: "room", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "much of the state is free, but the disk has no room for the copy that compaction makes: it has `room`, the copy `needs` more",
			Action:  "make room, and restart anond when convenient",
		},
	}},
	{Name: "compaction_failed", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the state was not compacted at the start, or not rewritten after people were forgotten, and is used as it is",
			Action:  "the error says why; `anond state compact` tries it again while anond is stopped",
		},
	}},
	{Name: "backup_made", Levels: []string{"info"}, Fields: []field{
		{Name: "file", Type: fieldText},
		{Name: "release", Type: integer},
		{Name: "records", Type: integer},
		{Name: "bytes", Type: integer},
		{Name: "sha256", Type: fieldText},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{Meaning: "a copy of the state was made and loaded once", Action: "none"},
	}},
	{Name: "backup_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "no copy of the state was made; the next release is followed by the next attempt",
			Action:  "check `state.backup.dir`: room, permissions",
		},
	}},
	{Name: "dead_letter_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "error", Type: fieldText},
		{Name: "tries", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: toldWithTries +
				"dead letters cannot be delivered; they stay in the state, and delivery is retried at most 30 s apart. " +
				"Nothing else waits for them",
			Action: "check the disk or topic of dead letters; the error says what is missing",
		},
	}},
	{Name: "dead_letter_kept", Levels: []string{"warn"}, Fields: []field{
		{Name: "outbox", Type: integer},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the source is at its end and the sink accepted no dead letters for 10 s: they stay in the state",
			Action:  "repair the sink; the next run delivers them",
		},
	}},
	{Name: "clock_behind", Levels: []string{"warn"}, Fields: []field{
		{Name: "by", Type: fieldText},
		{Name: "release", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "the clock was set back by a minute or more, or (at start) the newest release has a time in the future. " +
				"The schedule follows the clock",
			Action: "check the time service of this machine",
		},
	}},
	{Name: "deadletter_payload_dropped", Levels: []string{"warn"}, Fields: []field{
		{Name: "letter", Type: letter},
	}, Cases: []eventCase{
		{
			Meaning: "a dead letter was too large for its topic and was sent without payload",
			Action:  "raise the topic's max.message.bytes, or leave payloads off",
		},
	}},
	{Name: "draining", Levels: []string{"info"}, Fields: []field{
		{Name: "doing", Type: fieldText, Optional: true},
		{Name: "release", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "a stop was requested; the fields show what anond was doing, and the release in progress",
			Action:  "wait",
		},
	}},
	{Name: "stopped", Levels: []string{"info"}, Fields: []field{
		{Name: "outbox", Type: integer, Optional: true},
		{Name: "sent", Type: integer, Optional: true},
		{Name: "published", Type: integer, Optional: true},
		{Name: "pending", Type: integer, Optional: true},
		{Name: "dead_letter", Type: integer, Optional: true},
		{Name: "beyond", Type: integer, Optional: true},
		{Name: "ignored", Type: integer, Optional: true},
		{Name: "header", Type: integer, Optional: true},
		{Name: "blank", Type: integer, Optional: true},
		{Name: "continued", Type: integer, Optional: true},
		{Name: "unterminated", Type: integer, Optional: true},
		{Name: "without_record", Type: integer, Optional: true},
		{Name: "files_set_aside", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "stopped as requested",
			Action:  "none, unless lines were left unread",
		},
	}},
	{Name: "people_wait", Levels: []string{"info"}, Fields: []field{
		{Name: "waiting", Type: integer},
		{Name: "missing", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the last line of `anond run --once`, which ends with 0, if somebody waits: for what, how many are missing, and until " +
				"when at the latest",
			Action: "none: the next run goes on",
		},
	}},
	{Name: "failed", Levels: []string{"error"}, Fields: []field{
		{Name: "code", Type: integer},
		{Name: "error", Type: fieldText},
		{Name: "hint", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the run ends with an error; `code` is its [exit code](EXIT_CODES.md#exit-codes), `hint` the next step, which may be empty. " +
				"Not of a configuration that cannot be read: then there is no log yet",
			Action: "what `hint` says; only with code 1 may starting again help",
		},
	}},
	{Name: "state_locked", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "this member has the lease, but another process still holds the state; the member waits as long as it has " +
				"the lease. Repeated at growing intervals",
			Action: "the error names the pid: if that process is suspended, resume or kill it",
		},
	}},
	{Name: "standby", Levels: []string{"info"}, Fields: []field{
		{Name: "group", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "this member waits for the lease",
			Action:  "none",
		},
	}},
	{Name: "http_listening", Levels: []string{"info"}, Fields: []field{
		{Name: "address", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "metrics, health and dashboard are served at this address",
			Action:  "none",
		},
	}},
	{Name: "http_unavailable", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
		{Name: "hint", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the default address for metrics, health and dashboard is taken; anond runs without them",
			Action:  "set `http.listen` to a free address, or to `off`",
		},
	}},
	{Name: "change_events", Levels: []string{"warn"}, Fields: []field{
		{Name: "member", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "a record of format json has a member by which it is a flat change event (`__op`, `__deleted`, `op`): an update or delete " +
				"counts as a record of its own",
			Action: "set `source.format: debezium-flat` before the first run, or declare the member with role drop if it is something else",
		},
	}},
	{Name: "no_subject", Levels: []string{"warn"}, Cases: []eventCase{
		{
			Meaning: "no attribute has role subject",
			Action:  "if one person can have several records, give the identifying attribute role subject; otherwise each record counts as a person",
		},
	}},
	{Name: "dead_letter_delivered", Levels: []string{"info"}, Cases: []eventCase{
		{
			Meaning: "dead letters are delivered again after failures",
			Action:  "none",
		},
	}},
	{Name: "dead_letter_stuck", Levels: []string{"warn"}, Cases: []eventCase{
		{
			Meaning: "at a stop the sink did not answer within a second; undelivered dead letters stay in the state",
			Action:  "check the disk of dead letters",
		},
	}},
	{Name: "reloaded", Levels: []string{"info"}, Fields: []field{
		{Name: "keys", Type: texts},
	}, Cases: []eventCase{
		{Meaning: "the configuration was read again; these keys have changed", Action: "none"},
	}},
	{Name: "reload_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the configuration was not taken in, and all settings stay: the file has a fault, or a key has changed that a " +
				"running daemon cannot change",
			Action: "correct the file, or restart anond",
		},
	}},
	{Name: "credentials_renewed", Levels: []string{"info"}, Fields: []field{
		{Name: "keys", Type: texts},
	}, Cases: []eventCase{
		{Meaning: "certificates or secrets were taken in whose files had changed; new connections use them", Action: "none"},
	}},
	{Name: "credentials_kept", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "files of certificates or secrets have changed and cannot be used: a key does not fit its certificate, a file is " +
				"empty, broken or gone. Those before stay in use; logged once for what the files hold",
			Action: "complete the files: they are taken in within a quarter of a minute. `anond doctor` looks at them",
		},
	}},
	{Name: "config_warning", Levels: []string{"warn"}, Cases: []eventCase{
		{Meaning: "a warning about the configuration that a start or a reload has read", Action: "`anond config check`"},
	}},
	{Name: "too_many_refused", Levels: []string{"warn"}, Fields: []field{
		{Name: "records", Type: integer},
		{Name: "refused", Type: integer},
		{Name: "max_share", Type: number},
		{Name: "reasons", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "of the newest thousand records more were refused than `dead_letter.max_share` allows: anond pauses; or a run that ends " +
				"has refused that much, or everything, and publishes nothing more. `records` and `refused` are those of the run, `reasons` " +
				"counts the latter",
			Action: "correct the producer or the configuration, then `anond resume`, which lets twice the share be refused. People whose value " +
				"may have caused it are never published later ([why](THREAT_MODEL.md#refused-for-a-value)); until the first pool is fixed, " +
				"`anond state reset` begins anew",
		},
	}},
	{Name: "paused", Levels: []string{"warn"}, Fields: []field{
		{Name: "since", Type: fieldText, Optional: true},
		{Name: "file", Type: fieldText, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "anond reads nothing, and no release begins by the trigger. At a start `since` and `file` tell of a pause that was " +
				"asked for earlier",
			Action: "`anond resume`",
		},
	}},
	{Name: "resumed", Levels: []string{"info"}, Cases: []eventCase{
		{Meaning: "reading goes on after a pause", Action: "none"},
	}},
	{Name: "control_order", Levels: []string{"info"}, Fields: []field{
		{Name: "order", Type: fieldText},
	}, Cases: []eventCase{
		{Meaning: "somebody gave an order over the control socket", Action: "none"},
	}},
	{Name: "control_refused", Levels: []string{"warn"}, Fields: []field{
		{Name: "uid", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a process of another user connected to the control socket, and was answered nothing",
			Action:  "find out who",
		},
	}},
	{Name: "log_level", Levels: []string{"warn"}, Fields: []field{
		{Name: "before", Type: fieldText, Optional: true},
		{Name: "now", Type: fieldText},
		{Name: "for", Type: fieldText, Optional: true},
	}, Cases: []eventCase{
		{Meaning: "the level of the log was changed, or is that of the configuration again", Action: "none"},
	}},
	{Name: "disk_forecast", Levels: []string{"warn"}, Cases: []eventCase{
		{Meaning: "a disk will be full within two weeks; the message names it and the date. Logged once while it is so", Action: "make room"},
	}},
	{Name: "directory_unreadable", Levels: []string{"warn"}, Fields: []field{
		{Name: "key", Type: fieldText},
		{Name: "path", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "a directory of a configured path, or the one above it, may be entered and not be read, so it cannot be opened to make " +
				"the names in it durable; that is left out, at each start",
			Action: "give the user of anond the right to read the directory, or make sure that what is below it survives a power cut",
		},
	}},
	{Name: "disk_unknown", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{Meaning: "the use of the disks cannot be measured", Action: "look at the directory of the releases"},
	}},
	{Name: "lease_lost", Levels: []string{"warn"}, Cases: []eventCase{
		{
			Meaning: "another member got the lease; this one stands by again",
			Action:  "none, unless it happens often: raise `session_timeout`",
		},
	}},
}
