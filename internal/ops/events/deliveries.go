package events

// ofDeliveries are the events of anond-deliver.
var ofDeliveries = []event{
	{Name: "delivery_started", Levels: []string{"info"}, Fields: []field{
		{Name: "sink", Type: fieldText},
		{Name: "has", Type: integer},
		{Name: "newest", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "`anond-deliver` has asked the sink how far it is: it `has` all releases up to that one (0: none), and those up to " +
				"`newest` are delivered",
			Action: "none",
		},
	}},
	{Name: "release_delivered", Levels: []string{"info"}, Fields: []field{
		{Name: "sink", Type: fieldText},
		{Name: "release", Type: integer},
		{Name: "records", Type: integer},
		{Name: "ms", Type: integer},
	}, Cases: []eventCase{
		{Meaning: "the sink has the whole release", Action: "none"},
	}},
	{Name: "delivery_failed", Levels: []string{"warn"}, Fields: []field{
		{Name: "sink", Type: fieldText},
		{Name: "error", Type: fieldText},
		{Name: "attempts", Type: integer},
	}, Cases: []eventCase{
		{
			Meaning: "the sink, or a file of the releases, cannot be used at present. It is tried again, at growing intervals of at most " +
				"30 s; told at growing intervals, and when the error is another. What readers see is the release before, whole",
			Action: "follow the hint in `error`; check `outputs`, and whether broker or server runs",
		},
	}},
	{Name: "delivery_resumed", Levels: []string{"info"}, Fields: []field{
		{Name: "sink", Type: fieldText},
	}, Cases: []eventCase{
		{Meaning: "it works again", Action: "none"},
	}},
}
