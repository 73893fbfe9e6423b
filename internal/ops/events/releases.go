package events

var ofReleases = []row{
	{"values_alike", "warn", "attribute values:integer", []eventCase{
		{"", "at a release, so many values of the sensitive attribute differ from another one only by dots, case, hyphens or spaces. " +
			"They count as different: people who have one illness in two spellings seem diverse",
			"if they mean the same, write them in one way at the source; a new dataset may set `aliases: fold`"}}},
	{"release_published", "info", "release:integer records:integer pending:integer classes:integer newcomers:integer k:integer " +
		"max_frequency:number ncp:number ms:integer", []eventCase{
		{"", "a release is published; one line per release", "none"}}},
	{"release_skipped", "info", "pending:integer why (waiting:integer) (pool_needs:integer) (pool_missing:integer) " +
		"(outdated:integer)", []eventCase{
		{"", "nothing is newly publishable (`nothing_new`), planned classes wait for better ones or for more people as `max_hold` " +
			"asks (`held`), fewer people wait than the next pool needs (`pool_too_small`), too few newcomers (`few_newcomers`), or " +
			"the first load is not complete (`first_load`). With trigger `interval` or `cron` this is logged at each slot",
			"none, unless it lasts long: too few records arrive, or see `infeasible`"}}},
	{"release_pruned", "info", "release:integer", []eventCase{
		{"", "the files of an old release were removed, as `release.keep` asks; its manifest stays below `pruned`", "none"}}},
	{"prune_failed", "error", "error", []eventCase{
		{"", "an old release could not be pruned; the next release is followed by the next attempt",
			"the error says what is in the way: permissions, or a manifest that is not the published one (`anond release verify`)"}}},
	{"view_failed", "error", "view behind:integer error", []eventCase{
		{"", "no release of a [view](CHOOSING.md#which-recipients) was made, of which it now lacks `behind`: the disk, or its gate has refused " +
			"it. The dataset's own releases and other views go on. It is made up for behind the next release and at the next start, and where " +
			"the disk was in the way each minute. A run that ends by itself ends with the error",
			"look at the directory of the view. If the gate refused it, report it; with `release.keep`, before what it lacks is pruned"}}},
	{"view_resumed", "info", "view release:integer", []eventCase{
		{"", "a view that had failed is up to the releases again", "none"}}},
	{"release_resumed", "info", "release:integer", []eventCase{
		{"", "a release that an earlier process began is finished", "none"}}},
	{"release_parked", "warn", "release:integer", []eventCase{
		{"", "a stop came during a release that failed or took too long, or `--once` reached its limit of attempts",
			"start anond again soon"}}},
	{"release_failed", "error", "release:integer error tries:integer", []eventCase{
		{"", toldWithTries + "publishing failed for a reason that may be temporary: a full disk, a missing mount, missing rights, a " +
			"disk that does not give back what was written. anond retries until it succeeds, at most 30 s apart",
			"look at the disk of the releases and of the ledger"}}},
	{"release_waits", "warn", "release:integer for (error)", []eventCase{
		{"", "the next release is due and the previous one is not published yet, so reading waits. Logged at once after a failed " +
			"attempt, otherwise after a minute; then each minute", "as above. Reading resumes by itself"}}},
	{"release_damaged", "error", "release:integer file kind detail", []eventCase{
		{"", "a published file was changed or is missing; only the first fault of a run is logged, the others are counted in " +
			"`releases_checked` and in the status", "restore the file from a copy: see [damaged releases](RECOVER.md#damaged-releases)"}}},
	{"releases_checked", "info", "releases:integer files:integer bytes:integer faults:integer", []eventCase{
		{"", "every published file was hashed once since the start", "none if faults is 0"}}},
	{"release_refused", "error", "release:integer error", []eventCase{
		{"", "the release was not decided (the machine refused its own decision), or publishing failed permanently; anond exits with " +
			"3, 5 or 1", "see [exit codes](EXIT_CODES.md#exit-codes)"}}},
	{"infeasible", "warn, error", "records:integer (attribute) (share:number) (reachable_l:integer) (distance:number) (error) " +
		"(hint)", []eventCase{
		{"warn", "people who waited longer than `max_hold` cannot be published: one value is too frequent among them, or among " +
			"their sensitive values of that attribute", "see [Infeasible](RUN.md#the-log)"},
		{"warn", "before release 1: the first load is refused; it waits and may grow. Logged at most once a minute",
			"[before release 1](POOLS.md#before-release-1)"},
		{"error", "level L2: the first pool is refused; anond exits with 3", "[a refused first pool](POOLS.md#a-refused-first-pool)"},
		{"warn", "level L2: no pool is large enough next to what is published", "[pools](POOLS.md#pools-at-level-l2)"},
	}},
	{"pool_quarantined", "warn", "records:integer attributes:texts error", []eventCase{
		{"", "level L2: a pool is ineligible as a whole, for the promises of these attributes; none of its records is ever published. " +
			"`error` says how many people have the value that is too frequent, and which share may",
			"[pools](POOLS.md#pools-at-level-l2)"}}},
	{"lapsed", "info", "people:integer", []eventCase{
		{"", "level L2: at a cut, so many people had waited longer than `policy.max_wait` and were in no pool that is fixed; they and what " +
			"they send later count as `beyond`", "none, unless many lapse: pools need more people than come in that time"}}},
	{"first_load_waits", "info", "records:integer wanted:integer", []eventCase{
		{"", "release 1 waits for more records: `policy.k`, `initial.min_records`, or at level L2 `initial.min_pool` and k*l",
			"none, unless it lasts long"}}},
}
