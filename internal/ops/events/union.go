package events

// ofUnion are the events of anond union.
var ofUnion = []Event{
	{Name: "union_published", Levels: []string{"info"}, Fields: []Field{
		{Name: "release", Type: Integer},
		{Name: "records", Type: Integer},
		{Name: "pending", Type: Integer},
		{Name: "classes", Type: Integer},
		{Name: "shards", Type: Integer},
		{Name: "ms", Type: Integer},
	}, Cases: []Case{
		{
			Meaning: "a release of all shards is published, by this process or by another one at the same time; `shards` have a part in it",
			Action:  "none",
		},
	}},
	{Name: "union_waiting", Levels: []string{"warn"}, Fields: []Field{
		{Name: "shards", Type: Texts},
		{Name: "begun", Type: Boolean},
	}, Cases: []Case{
		{
			Meaning: "these shards have no release yet. The first release of the union waits for them (`begun` is false), " +
				"unless `--without` names them",
			Action: "look at these shards: the first load, or an `infeasible` pool. Mind that a wrong path looks the same",
		},
	}},
	{Name: "union_failed", Levels: []string{"error"}, Fields: []Field{
		{Name: "error", Type: Text},
		{Name: "tries", Type: Integer},
	}, Cases: []Case{
		{
			Meaning: toldWithTries +
				"an attempt failed; the newest release stays, and the next attempt follows after `--every`",
			Action: "the error says what is in the way. Settings of shards that differ while they are restarted one by one need nothing",
		},
	}},
	{Name: "shard_stale", Levels: []string{"warn"}, Fields: []Field{
		{Name: "shard", Type: Integer},
		{Name: "release", Type: Integer},
		{Name: "age", Type: Text},
	}, Cases: []Case{
		{
			Meaning: "the newest release of the shard is older than `--stale-after`; the union keeps the parts it has of it. Logged once",
			Action:  "look at the shard: does it run, do records arrive, is a release parked",
		},
	}},
	{Name: "shard_fresh", Levels: []string{"info"}, Fields: []Field{
		{Name: "shard", Type: Integer},
		{Name: "release", Type: Integer},
	}, Cases: []Case{
		{
			Meaning: "a shard that was stale has published again",
			Action:  "none",
		},
	}},
}
