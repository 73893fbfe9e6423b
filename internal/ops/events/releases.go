package events

var ofReleases = []event{
	{Name: "values_alike", Levels: []string{"warn"}, Fields: []field{
		{Name: "attribute", Type: fieldText},
		{Name: "values", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "at a release, so many values of the sensitive attribute differ from another one only by dots, case, hyphens or spaces. " +
				"They count as different: people who have one illness in two spellings seem diverse",
			Action: "if they mean the same, write them in one way at the source; a new dataset may set `aliases: fold`",
		},
	}},
	{Name: "release_published", Levels: []string{"info"}, Fields: []field{
		{Name: "release", Type: integer},
		{Name: "records", Type: integer},
		{Name: "pending", Type: integer},
		{Name: "classes", Type: integer},
		{Name: "newcomers", Type: integer},
		{Name: "k", Type: integer},
		{Name: "max_frequency", Type: number},
		{Name: "ncp", Type: number},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a release is published; one line per release",
			Action:  "none",
		},
	}},
	{Name: "release_skipped", Levels: []string{"info"}, Fields: []field{
		{Name: "pending", Type: integer},
		{Name: "why", Type: fieldText},
		{Name: "waiting", Type: integer, Optional: true},
		{Name: "pool_needs", Type: integer, Optional: true},
		{Name: "pool_missing", Type: integer, Optional: true},
		{Name: "outdated", Type: integer, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "nothing is newly publishable (`nothing_new`), planned classes wait for better ones or for more people as " +
				"`max_hold` asks (`held`), fewer people wait than the next pool needs (`pool_too_small`), too few newcomers " +
				"(`few_newcomers`), or the first load is not complete (`first_load`). With trigger `interval` or `cron` this is " +
				"logged at each slot",
			Action: "none, unless it lasts long: too few records arrive, or see `infeasible`",
		},
	}},
	{Name: "release_pruned", Levels: []string{"info"}, Fields: []field{
		{Name: "release", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the files of an old release were removed, as `release.keep` asks; its manifest stays below `pruned`",
			Action:  "none",
		},
	}},
	{Name: "prune_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "an old release could not be pruned; the next release is followed by the next attempt",
			Action:  "the error says what is in the way: permissions, or a manifest that is not the published one (`anond release verify`)",
		},
	}},
	{Name: "release_resumed", Levels: []string{"info"}, Fields: []field{
		{Name: "release", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a release that an earlier process began is finished",
			Action:  "none",
		},
	}},
	{Name: "release_parked", Levels: []string{"warn"}, Fields: []field{
		{Name: "release", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a stop came during a release that failed or took too long, or `--once` reached its limit of attempts",
			Action:  "start anond again soon",
		},
	}},
	{Name: "release_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "release", Type: integer},
		{Name: "error", Type: fieldText},
		{Name: "tries", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: toldWithTries +
				"publishing failed for a reason that may be temporary: a full disk, a missing mount, missing rights, a disk " +
				"that does not give back what was written. anond retries until it succeeds, at most 30 s apart",
			Action: "look at the disk of the releases and of the ledger",
		},
	}},
	{Name: "release_waits", Levels: []string{"warn"}, Fields: []field{
		{Name: "release", Type: integer},
		{Name: "for", Type: fieldText},
		{Name: "error", Type: fieldText, Optional: true},
	}, Cases: []eventCase{
		{
			Meaning: "the next release is due and the previous one is not published yet, so reading waits. Logged at once after " +
				"a failed attempt, otherwise after a minute; then each minute",
			Action: "as above. Reading resumes by itself",
		},
	}},
	{Name: "release_damaged", Levels: []string{"error"}, Fields: []field{
		{Name: "release", Type: integer},
		{Name: "file", Type: fieldText},
		{Name: "kind", Type: fieldText},
		{Name: "detail", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "a published file was changed or is missing; only the first fault of a run is logged, the others are " +
				"counted in `releases_checked` and in the status",
			Action: "restore the file from a copy: see [damaged releases](RECOVER.md#damaged-releases)",
		},
	}},
	{Name: "releases_checked", Levels: []string{"info"}, Fields: []field{
		{Name: "releases", Type: integer},
		{Name: "files", Type: integer},
		{Name: "bytes", Type: integer},
		{Name: "faults", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "every published file was hashed once since the start",
			Action:  "none if faults is 0",
		},
	}},
	{Name: "release_refused", Levels: []string{"error"}, Fields: []field{
		{Name: "release", Type: integer},
		{Name: "error", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the release was not decided (the machine refused its own decision), or publishing failed permanently; anond exits " +
				"with 3, 5 or 1",
			Action: "see [exit codes](EXIT_CODES.md#exit-codes)",
		},
	}},
	{Name: "infeasible", Levels: []string{"warn", "error"}, Fields: []field{
		{Name: "records", Type: integer},
		{Name: "attribute", Type: fieldText, Optional: true},
		{Name: "share", Type: number, Optional: true},
		{Name: "reachable_l", Type: integer, Optional: true},
		{Name: "distance", Type: number, Optional: true},
		{Name: "error", Type: fieldText, Optional: true},
		{Name: "hint", Type: fieldText, Optional: true},
	}, Cases: []eventCase{
		{
			Level: "warn",
			Meaning: "people who waited longer than `max_hold` cannot be published: one value is too frequent among them, or " +
				"among their sensitive values of that attribute",
			Action: "see [Infeasible](RUN.md#the-log)",
		},
		{
			Level:   "warn",
			Meaning: "before release 1: the first load is refused; it waits and may grow. Logged at most once a minute",
			Action:  "[before release 1](POOLS.md#before-release-1)",
		},
		{
			Level:   "error",
			Meaning: "level L2: the first pool is refused; anond exits with 3",
			Action:  "[a refused first pool](POOLS.md#a-refused-first-pool)",
		},
		{
			Level:   "warn",
			Meaning: "level L2: no pool is large enough next to what is published",
			Action:  "[pools](POOLS.md#pools-at-level-l2)",
		},
	}},
	{Name: "pool_quarantined", Levels: []string{"warn"}, Fields: []field{
		{Name: "records", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "level L2: a pool is ineligible as a whole; none of its records is ever published",
			Action:  "[pools](POOLS.md#pools-at-level-l2)",
		},
	}},
	{Name: "first_load_waits", Levels: []string{"info"}, Fields: []field{
		{Name: "records", Type: integer},
		{Name: "wanted", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "release 1 waits for more records: `policy.k`, `initial.min_records`, or at level L2 `initial.min_pool` and " +
				"k*l",
			Action: "none, unless it lasts long",
		},
	}},
}
