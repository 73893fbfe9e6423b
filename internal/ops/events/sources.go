package events

var ofSources = []event{
	{Name: "unterminated_line", Levels: []string{"warn"}, Fields: []field{
		{Name: "file", Type: fieldText},
		{Name: "offset", Type: integer},
		{Name: "lines", Type: integer},
		{Name: "line", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "at the end of a file is a line without line break, or (with `source.csv.multiline`) an open quote; it may " +
				"still grow and is left unread. For a followed file this is logged once if it lasts a minute",
			Action: "end the line, or set `source.file.complete` if files do not grow; the next run reads it",
		},
	}},
	{Name: "no_record", Levels: []string{"info"}, Fields: []field{
		{Name: "file", Type: fieldText},
		{Name: "lines", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a file has a header or blank lines only; a file is identified by its first record, so it is not read yet",
			Action:  "none",
		},
	}},
	{Name: "file_set_aside", Levels: []string{"warn"}, Fields: []field{
		{Name: "file", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "a file begins like one that was read and does not continue it, or is another name of one. Nothing of it is read: without " +
				"an attribute of role `subject`, people who are in both would be published twice",
			Action: "if nobody is in both, put another line in front, such as a blank one",
		},
	}},
	{Name: "file_rotated", Levels: []string{"info"}, Fields: []field{
		{Name: "file", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "another file took the path of a followed one, which was read to its end; the other one comes next",
			Action:  "none",
		},
	}},
	{Name: "line_grew", Levels: []string{"warn"}, Fields: []field{
		{Name: "file", Type: fieldText},
		{Name: "line", Type: integer},
		{Name: "offset", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a last line was taken as complete and has grown. What was read of it stays; the rest is a dead letter " +
				"`grown_line`",
			Action: "compare the record with the file; do not declare growing files complete",
		},
	}},
	{Name: "source_connected", Levels: []string{"info"}, Fields: []field{
		{Name: "partitions", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "anond reads, or reads again after failures",
			Action:  "none",
		},
	}},
	{Name: "source_disconnected", Levels: []string{"warn"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "error", Type: fieldText},
		{Name: "hint", Type: fieldText, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "the first failure; anond retries without a limit",
			Action:  "check the broker; the hint distinguishes missing rights from network problems",
		},
	}},
	{Name: "source_token_failed", Levels: []string{"warn"}, Fields: []field{
		{Name: "error", Type: fieldText},
		{Name: "usable", Type: boolean},
	}, Cases: []eventCase{
		{
			Meaning: "`source.kafka.sasl.token_command` gave no bearer token. `usable`: the token before is still good, and is used " +
				"for new connections. anond tries again, at most every 30 s",
			Action: "run the program by hand, as the user of anond",
		},
	}},
	{Name: "source_retry", Levels: []string{"warn", "debug"}, Fields: []field{
		{Name: "error", Type: fieldText},
		{Name: "partition", Type: integer, Optional: true},
		{Name: "hint", Type: fieldText, Optional: true},
		{Name: "tries", Type: integer, Optional: true},
		{Name: "for", Type: fieldText, Optional: true},
		{Name: "partitions_failing", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "further failures. Each failing partition is named again after 10 s, 20 s, and so on, up to every 10 min; " +
				"a fault that several partitions share is logged once. All other retries are logged at level debug",
			Action: "as above",
		},
	}},
	{Name: "source_stalled", Levels: []string{"error"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "for", Type: fieldText},
		{Name: "connections_rebuilt", Type: boolean},
	}, Cases: []eventCase{
		{
			Meaning: "there are records to read, but none arrive; repeated at growing intervals",
			Action:  "if it repeats, check the broker, or look for a batch that cannot be read",
		},
	}},
	{Name: "source_corrupt", Levels: []string{"error"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "from", Type: integer},
		{Name: "next", Type: integer},
		{Name: "tries", Type: integer},
		{Name: "on_corrupt", Type: fieldText},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "a batch cannot be read in repeated attempts; anond stops, or continues behind it",
			Action:  "[KAFKA.md](KAFKA.md#a-batch-that-cannot-be-read)",
		},
	}},
	{Name: "source_partition_added", Levels: []string{"info"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "first", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the topic has a new partition; it is read from its first offset",
			Action:  "none",
		},
	}},
	{Name: "shard_stopped", Levels: []string{"error"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "offset", Type: integer},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "a record of a shard is not where the key of its person leads, or one before it is missing; exit 78",
			Action:  "[SCALING.md](../shards/SCALING.md#when-a-shard-stops)",
		},
	}},
	{Name: "repartition_started", Levels: []string{"info"}, Fields: []field{
		{Name: "from", Type: fieldText},
		{Name: "to", Type: fieldText},
		{Name: "partitions", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "`anond repartition` begins, or goes on; partitions are those of the topic that it writes",
			Action:  "none",
		},
	}},
	{Name: "repartition_status", Levels: []string{"info"}, Fields: []field{
		{Name: "written", Type: integer},
		{Name: "unreadable", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "each minute: records of this run that were keyed by their subjects, and those whose subjects cannot be read",
			Action:  "none; those become dead letters of shards, which tell why",
		},
	}},
	{Name: "repartition_ended", Levels: []string{"info"}, Fields: []field{
		{Name: "written", Type: integer},
		{Name: "unreadable", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "`anond repartition` ends; counts as in repartition_status",
			Action:  "none",
		},
	}},
	{Name: "repartition_write_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "error", Type: fieldText},
		{Name: "tries", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: toldWithTries +
				"the topic that `anond repartition` writes takes nothing; the same request is sent again",
			Action: "check the brokers and the rights of this client",
		},
	}},
	{Name: "source_partitions_changed", Levels: []string{"error"}, Fields: []field{
		{Name: "partitions", Type: integer},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the topic of a shard has other partitions than when it was first read, or fewer than there are shards; exit 78",
			Action:  "[SCALING.md](../shards/SCALING.md#when-a-shard-stops)",
		},
	}},
	{Name: "source_gap", Levels: []string{"error"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "want", Type: integer},
		{Name: "have", Type: integer},
		{Name: "on_gap", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "records were deleted before they were read",
			Action:  "raise retention; see [exit code 1](EXIT_CODES.md#exit-codes)",
		},
	}},
	{Name: "source_replaced", Levels: []string{"error"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the topic or file was replaced by another one of the same name, or an election lost records that were " +
				"read; anond stops",
			Action: "see [exit code 1](EXIT_CODES.md#exit-codes)",
		},
	}},
	{Name: "source_unverified", Levels: []string{"warn"}, Fields: []field{
		{Name: "partition", Type: integer},
		{Name: "offset", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the last record read is no longer in the log, so anond cannot check that it is the same log",
			Action:  "none after long pauses; otherwise find out who deleted records",
		},
	}},
	{Name: "source_commit_failed", Levels: []string{"warn"}, Fields: []field{
		{Name: "group", Type: fieldText},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "best-effort offset commits to the group fail",
			Action:  "lag tools show old numbers; anond itself is not affected",
		},
	}},
	{Name: "source_lease_acquired", Levels: []string{"info"}, Fields: []field{
		{Name: "generation", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "this instance reads and publishes",
			Action:  "none",
		},
	}},
	{Name: "source_lease_lost", Levels: []string{"error"}, Fields: []field{
		{Name: "why", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "this instance lost the lease and stops publishing",
			Action:  "see `lease_lost`",
		},
	}},
	{Name: "source_stuck", Levels: []string{"warn"}, Cases: []eventCase{
		{
			Meaning: "at a stop, a read of the source did not return within five seconds, for instance because the disk hangs; " +
				"anond ended without waiting for it",
			Action: "check the disk of the source",
		},
	}},
	{Name: "source_lease_standby", Levels: []string{"info"}, Cases: []eventCase{
		{
			Meaning: "another instance is active",
			Action:  "none",
		},
	}},
	{Name: "source_lease_released", Levels: []string{"info"}, Cases: []eventCase{
		{
			Meaning: "the lease was released at a stop",
			Action:  "none",
		},
	}},
}
