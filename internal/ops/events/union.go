package events

// ofUnion are the events of anond union.
var ofUnion = []event{
	{Name: "union_published", Levels: []string{"info"}, Fields: []field{
		{Name: "release", Type: integer},
		{Name: "records", Type: integer},
		{Name: "pending", Type: integer},
		{Name: "classes", Type: integer},
		{Name: "shards", Type: integer},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a release of all shards is published, by this process or by another one at the same time; `shards` have a part in it",
			Action:  "none",
		},
	}},
	{Name: "union_waiting", Levels: []string{"warn"}, Fields: []field{
		{Name: "shards", Type: texts},
		{Name: "begun", Type: boolean},
	}, Cases: []eventCase{
		{
			Meaning: "these shards have no release yet. The first release of the union waits for them (`begun` is false), " +
				"unless `--without` names them",
			Action: "look at these shards: the first load, or an `infeasible` pool. Mind that a wrong path looks the same",
		},
	}},
	{Name: "union_failed", Levels: []string{"error"}, Fields: []field{
		{Name: "error", Type: fieldText},
		{Name: "tries", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: toldWithTries +
				"an attempt failed; the newest release stays, and the next attempt follows after `--every`",
			Action: "the error says what is in the way. Settings of shards that differ while they are restarted one by one need nothing",
		},
	}},
	{Name: "shard_stale", Levels: []string{"warn"}, Fields: []field{
		{Name: "shard", Type: integer},
		{Name: "release", Type: integer},
		{Name: "age", Type: fieldText},
	}, Cases: []eventCase{
		{
			Meaning: "the newest release of the shard is older than `--stale-after`; the union keeps the parts it has of it. Logged once",
			Action:  "look at the shard: does it run, do records arrive, is a release parked",
		},
	}},
	{Name: "shard_fresh", Levels: []string{"info"}, Fields: []field{
		{Name: "shard", Type: integer},
		{Name: "release", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "a shard that was stale has published again",
			Action:  "none",
		},
	}},
}
