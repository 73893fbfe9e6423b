package events

// ofDeliveries are the events of anond-deliver.
var ofDeliveries = []row{
	{"delivery_started", "info", "sink has:integer newest:integer", []eventCase{
		{"", "`anond-deliver` has asked the sink how far it is: it `has` all releases up to that one (0: none), and those up to " +
			"`newest` are delivered", "none"}}},
	{"release_delivered", "info", "sink release:integer records:integer ms:integer", []eventCase{
		{"", "the sink has the whole release", "none"}}},
	{"delivery_failed", "warn", "sink error attempts:integer", []eventCase{
		{"", "the sink, or a file of the releases, cannot be used at present. It is tried again, at growing intervals of at most 30 " +
			"s; told at growing intervals, and when the error is another. What readers see is the release before, whole",
			"follow the hint in `error`; check `outputs`, and whether broker or server runs"}}},
	{"delivery_resumed", "info", "sink", []eventCase{
		{"", "it works again", "none"}}},
}
