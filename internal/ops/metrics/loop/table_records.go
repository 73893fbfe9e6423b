package loop

import (
	"maps"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/settle"
	"anond/ingest"
	"anond/internal/ops/gauge"
	"anond/internal/ops/monitor"
)

var ofIngest = []metric{
	{Name: "anond_ingest_records_total", Counter: true, Labels: []string{"outcome"}, Help: "Records read since the state began: accepted, " +
		"or refused as dead letters. A dead letter that is replayed counts as both. Lines and messages that hold no record are in " +
		"anond_ingest_ignored_total.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if m := s.Report.Machine; !s.Report.Time.IsZero() {
				e(float64(m.Sent-m.DeadLetter), "accepted")
				e(float64(m.DeadLetter+sum(m.Replayed)), "refused")
			}
		}},
	{Name: "anond_ingest_ignored_total", Counter: true, Labels: []string{"reason"}, Help: "What was read and is no record: see `ignored` of " +
		"status.json.", Read: func(s *monitor.View, e gauge.Emit) { gauge.Each(s.Report.Machine.Ignored, e) }},
	reported("anond_ingest_last_record_timestamp_seconds", "When this process read a record last; 0: not yet.",
		func(r *ingest.Report) float64 { return gauge.At(r.LastRecord) }),
	{Name: "anond_dlq_records_total", Counter: true, Labels: []string{"reason"}, Help: "Refused records by reason since the state " +
		"began. Those replayed since are among them, so that this number never decreases.",
		Read: func(s *monitor.View, e gauge.Emit) { gauge.Each(everRefused(&s.Report.Machine), e) }},
	{Name: "anond_dlq_replayed_records_total", Counter: true, Labels: []string{"reason"}, Help: "Dead letters that `anond dlq replay` " +
		"judged again, and that no longer count under this reason: accepted, or refused for another one.",
		Read: func(s *monitor.View, e gauge.Emit) { gauge.Each(s.Report.Machine.Replayed, e) }},
	reported("anond_dlq_waiting", "Dead letters that their sink has not taken yet; they are in the state.",
		func(r *ingest.Report) float64 { return float64(r.Machine.Outbox) }),
	reported("anond_dlq_oldest_age_seconds", "How long the oldest of these waits, at most since the start of the process.",
		func(r *ingest.Report) float64 { return since(r, r.LettersSince) }),
	reported("anond_dlq_failing", "Whether the newest attempt to deliver dead letters failed.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.LetterFailure != "") }),
	gauge.Total(reported("anond_local_updates_total", "Local updates that decisions carried out (level L1).",
		func(r *ingest.Report) float64 { return float64(r.Updates.Updates) })),
	gauge.Total(reported("anond_local_update_classes_total", "Published classes next to which local updates planned new ones.",
		func(r *ingest.Report) float64 { return float64(r.Updates.Classes) })),
}

var ofPending = []metric{
	{Name: "anond_pending_records", Labels: []string{"reason"}, Help: "Accepted records that are not published: waiting, " +
		"settling, quarantined or infeasible, as status.json has them.", Read: func(s *monitor.View, e gauge.Emit) {
		if p := s.Report.Machine.Pending; !s.Report.Time.IsZero() {
			e(float64(p.Waiting), "waiting")
			e(float64(p.Settling), "settling")
			e(float64(p.Quarantined), "quarantined")
			e(float64(p.Infeasible), "infeasible")
		}
	}},
	reported("anond_forgotten_records", "Records of people who were forgotten: those that waited then, and those that came later, deletes "+
		"among them. sent = published + expired + withdrawn + pending + dead letters + forgotten + beyond.",
		func(r *ingest.Report) float64 { return float64(r.Machine.Forgotten) }),
	reported("anond_expired_records", "Records of people who left the releases with their parts (release.window). None of them comes back.",
		func(r *ingest.Report) float64 { return float64(r.Machine.Expired) }),
	reported("anond_withdrawn_records", "Records in buckets that left the releases because their people asked to be erased "+
		"(subject.erasure). None of them comes back. Once their parts leave, too, they are expired.",
		func(r *ingest.Report) float64 { return float64(r.Machine.Withdrawn) }),
	reported("anond_beyond_records", "Later records of people of whom an earlier one was accepted, or refused for what its sensitive value "+
		"can have caused, and all records of people who have lapsed or belong to another dataset of subject.ledger. None of them is ever "+
		"published.",
		func(r *ingest.Report) float64 { return float64(r.Machine.Beyond) }),
	gauge.Total(reported("anond_elsewhere_records_total", "Those of anond_beyond_records whose people belong to another dataset of "+
		"subject.ledger, where their first record arrived.", func(r *ingest.Report) float64 { return float64(r.Machine.Elsewhere) })),
	gauge.Total(reported("anond_stamps_ahead_total", "Records whose time stamps count as none, since they lie more than a day ahead of the "+
		"clock of this machine, with subject.settle as a time.", func(r *ingest.Report) float64 { return float64(r.Machine.Ahead) })),
	reported("anond_observed_people", "People whose window has not ended (subject.settle).",
		func(r *ingest.Report) float64 { return float64(r.Machine.Observed) }),
	{Name: "anond_stratum_waiting_people", Labels: []string{"stratum"}, Help: "With subject.settle: people who wait for a pool of their " +
		"stratum; plain is that of those of whom one record came in the window, and nothing else.", Read: ofStrata(
		func(of *incremental.Stratum) float64 { return float64(of.Waiting) })},
	{Name: "anond_stratum_missing_people", Labels: []string{"stratum"}, Help: "Likewise: people of the stratum who have yet to come before " +
		"its next pool is planned.", Read: ofStrata(func(of *incremental.Stratum) float64 { return float64(of.Missing) })},
	gauge.Total(reported("anond_lapsed_people_total", "People who waited longer than policy.max_wait; their records are beyond.",
		func(r *ingest.Report) float64 { return float64(r.Machine.Lapsed) })),
	reported("anond_forget_due_people", "People whose deletes were read and whose records are in the state until the next cut or start, "+
		"at most an hour.", func(r *ingest.Report) float64 { return float64(r.Machine.ForgetDue) }),
	{Name: "anond_pending_oldest_age_seconds", Help: "How long the oldest waiting record waits; absent if max_hold is a number of releases.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if !s.Report.Time.IsZero() && !s.Settings.HoldInCuts {
				e(monitor.OldestAge(s.Report, s.Settings))
			}
		}},
	{Name: "anond_pending_oldest_age_releases", Help: "The same in releases, if max_hold is a number of releases.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if !s.Report.Time.IsZero() && s.Settings.HoldInCuts {
				e(monitor.OldestAge(s.Report, s.Settings))
			}
		}},
	{Name: "anond_pool_needed_records", Help: "Level L2: records that the next pool needs; it follows from what is published.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if p := s.Report.Machine.Pool; p != nil {
				e(float64(p.Records))
			}
		}},
	{Name: "anond_pool_missing_records", Help: "Level L2: records that have yet to come before the next pool is planned.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if p := s.Report.Machine.Pool; p != nil {
				e(float64(p.Missing))
			}
		}},
	{Name: "anond_pool_possible", Help: "Level L2: 0 if no pool is large enough next to what is published.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if p := s.Report.Machine.Pool; p != nil {
				e(gauge.Truth(p.Possible))
			}
		}},
}

// ofStrata reads a number of each stratum that status has.
func ofStrata(read func(*incremental.Stratum) float64) func(*monitor.View, gauge.Emit) {
	return func(s *monitor.View, e gauge.Emit) {
		m := &s.Report.Machine
		if m.Pool != nil && (m.Observed > 0 || len(m.Strata) > 0) {
			e(read(&incremental.Stratum{Waiting: m.WaitingPlain(), PoolNeed: *m.Pool}), settle.Plain.String())
		}
		for i := range m.Strata {
			e(read(&m.Strata[i]), m.Strata[i].Stratum)
		}
	}
}

// latest is a gauge of the newest published release.
func latest(name, help string, read func(*monitor.Release) float64) metric {
	return metric{Name: name, Help: help, Read: func(s *monitor.View, e gauge.Emit) {
		if n := len(s.Releases); n > 0 {
			e(read(&s.Releases[n-1]))
		}
	}}
}

// byAttribute is a gauge of the newest published release for each sensitive attribute.
func byAttribute(name, help string, read func(equivclass.Reached) float64) metric {
	return metric{Name: name, Help: help, Labels: []string{"attribute"}, Read: func(s *monitor.View, e gauge.Emit) {
		if n := len(s.Releases); n > 0 {
			for _, r := range s.Releases[n-1].Reached {
				e(read(r), r.Attribute)
			}
		}
	}}
}

var ofReleases = []metric{
	latest("anond_release_sequence", "Number of the newest published release.", func(r *monitor.Release) float64 { return float64(r.Number) }),
	latest("anond_release_last_success_timestamp_seconds", "When it was decided.",
		func(r *monitor.Release) float64 { return gauge.At(r.CreatedAt) }),
	latest("anond_release_records", "Records in it.", func(r *monitor.Release) float64 { return float64(r.Records) }),
	latest("anond_release_newcomers", "Records in it that the release before did not have; -1 if that one is not there.",
		func(r *monitor.Release) float64 { return float64(r.Newcomers) }),
	latest("anond_release_suppressed_records", "Accepted records that it does not have.",
		func(r *monitor.Release) float64 { return float64(r.Pending) }),
	latest("anond_release_classes", "Classes in it.", func(r *monitor.Release) float64 { return float64(r.Classes) }),
	latest("anond_release_buckets", "Buckets in it (level L2).", func(r *monitor.Release) float64 { return float64(r.Buckets) }),
	latest("anond_release_min_class_size", "Records in its smallest class: the k it reaches.",
		func(r *monitor.Release) float64 { return float64(r.KMin) }),
	byAttribute("anond_release_max_value_share", "Largest share of one value of a sensitive attribute in a class, at level L2 in a bucket.",
		func(r equivclass.Reached) float64 { return r.Share }),
	byAttribute("anond_release_allowed_value_share", "Largest share that is promised at most of a value of the attribute: 1/l, or what its "+
		"own promise allows the value that may have most.", func(r equivclass.Reached) float64 { return r.Allowed }),
	latest("anond_release_information_loss", "Information loss (NCP) of its published cells, 0 to 1.",
		func(r *monitor.Release) float64 { return r.NCP }),
	gauge.Of("anond_policy_k", "policy.k.", func(s *monitor.View) float64 { return float64(s.Settings.K) }),
	reported("anond_release_in_progress", "Number of the release that is decided and not published; 0: none.",
		func(r *ingest.Report) float64 { return float64(r.Releasing) }),
	reported("anond_release_failing", "Whether the newest attempt to publish failed.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.ReleaseFailure != "") }),
	{Name: "anond_release_next_due_timestamp_seconds", Help: "When the trigger asks for a release next; absent if it does not go by time.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if t := s.Report.NextRelease; !t.IsZero() {
				e(gauge.At(t))
			}
		}},
	gauge.Of("anond_releases_on_disk", "Releases in the releases directory.", func(s *monitor.View) float64 { return float64(s.OnDisk) }),
	reported("anond_releases_damaged_files", "Published files that were found changed or missing since the start.",
		func(r *ingest.Report) float64 {
			if r.Damage == nil {
				return 0
			}
			return float64(r.Damage.Faults)
		}),
	reported("anond_release_verified", "Whether the newest release was read again since the start; the next one waits for it.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.Verified) }),
	{Name: "anond_release_class_sizes", Labels: []string{"records"}, Help: "Classes of the newest release by size: up to k, 2k, 4k, 8k, more.",
		Read: func(s *monitor.View, e gauge.Emit) { bySize(s.Sizes.Classes, s.Settings.K, e) }},
	{Name: "anond_release_bucket_sizes", Labels: []string{"records"}, Help: "Buckets of the newest release by size (level L2), likewise.",
		Read: func(s *monitor.View, e gauge.Emit) { bySize(s.Sizes.Buckets, s.Settings.K, e) }},
}

// bySize counts groups in steps of doubled size. The label is the upper bound.
func bySize(sizes map[int]int, k int, e gauge.Emit) {
	if len(sizes) == 0 {
		return
	}
	bounds, counts := []int{k, 2 * k, 4 * k, 8 * k}, make([]int, 5)
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		i, _ := slices.BinarySearch(bounds, size)
		counts[i] += sizes[size]
	}
	for i, n := range counts {
		label := "more"
		if i < len(bounds) {
			label = strconv.Itoa(bounds[i])
		}
		e(float64(n), label)
	}
}

// ofView is a gauge of each view of the releases.
func ofView(name, help string, read func(*ingest.View) float64) metric {
	return metric{Name: name, Labels: []string{"view"}, Help: help, Read: func(s *monitor.View, e gauge.Emit) {
		for i := range s.Report.Views {
			e(read(&s.Report.Views[i]), s.Report.Views[i].Name)
		}
	}}
}

// ofLedger is a gauge that is there with a ledger of subjects.
func ofLedger(name, help string, read func(*ingest.Owned) int) metric {
	return metric{Name: name, Help: help, Read: func(s *monitor.View, e gauge.Emit) {
		if o := s.Report.Owned; o != nil {
			e(float64(read(o)))
		}
	}}
}

var ofViews = []metric{
	ofView("anond_view_release_sequence", "Number of the newest release of a view (release.views); 0: it has none.",
		func(v *ingest.View) float64 { return float64(v.Release) }),
	ofView("anond_view_last_success_timestamp_seconds", "When the release was decided that it is of; 0: it has none.",
		func(v *ingest.View) float64 { return gauge.At(v.CreatedAt) }),
	ofView("anond_view_behind_releases", "Releases that it lacks.", func(v *ingest.View) float64 { return float64(v.Behind) }),
	ofView("anond_view_failing", "1: the newest attempt to make a release of it failed, or its gate refused it.",
		func(v *ingest.View) float64 { return gauge.Truth(v.Failure != "") }),
	ofLedger("anond_subject_ledger_people", "People whom this dataset has claimed in subject.ledger.",
		func(o *ingest.Owned) int { return o.People }),
	ofLedger("anond_subject_ledger_datasets", "Datasets that share subject.ledger.", func(o *ingest.Owned) int { return o.Datasets }),
}

// ofBackup is a gauge that is there once something is known of backups.
func ofBackup(name, help string, read func(*ingest.Backup) float64) metric {
	return metric{Name: name, Help: help, Read: func(s *monitor.View, e gauge.Emit) {
		if b := s.Report.Backup; b != nil {
			e(read(b))
		}
	}}
}

var ofState = []metric{
	reported("anond_state_file_bytes", "Size of the state's file.", func(r *ingest.Report) float64 { return float64(r.State.File) }),
	reported("anond_state_free_bytes", "Part of it that holds nothing.", func(r *ingest.Report) float64 { return float64(r.State.Free) }),
	reported("anond_state_quota_bytes", "state.max_bytes; 0: no limit.", func(r *ingest.Report) float64 { return float64(r.State.Quota) }),
	reported("anond_state_stale", "Whether free pages of the file may hold people who were forgotten while anond ran; a restart rewrites it.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.State.Stale) }),
	reported("anond_state_full", "Whether nothing is read because the state has no room below state.max_bytes.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.Full) }),
	gauge.Of("anond_state_restore_remaining_records", "Records of the state that the start has not loaded yet; 0 once it is loaded.",
		func(s *monitor.View) float64 { return float64(s.ToLoad) }),
	ofBackup("anond_backup_last_success_timestamp_seconds", "When the newest copy of the state was made, as far as is known; 0: there is "+
		"none. The metrics of backups are there with `state.backup.dir`, and after `anond state backup`.",
		func(b *ingest.Backup) float64 { return gauge.At(b.Made) }),
	ofBackup("anond_backup_last_verified_timestamp_seconds", "When the newest copy was loaded as a test; without that none gets its name.",
		func(b *ingest.Backup) float64 { return gauge.At(b.Verified) }),
	ofBackup("anond_backup_last_sent_timestamp_seconds", "When `state.backup.command` last had taken a copy elsewhere, as far as is known; "+
		"0: it has not, or there is no such command.", func(b *ingest.Backup) float64 { return gauge.At(b.Sent) }),
	ofBackup("anond_backup_last_rehearsed_timestamp_seconds", "When `anond state rehearse` last had a copy back and certified the "+
		"releases by it, as far as was known at the newest copy; 0: it has not.",
		func(b *ingest.Backup) float64 { return gauge.At(b.Rehearsed) }),
	ofBackup("anond_backup_last_attempt_successful", "Whether the newest attempt to copy the state, and to take the copy "+
		"elsewhere, succeeded, or there was none.",
		func(b *ingest.Backup) float64 { return gauge.Truth(!b.Failed) }),
	ofBackup("anond_backup_release", "Newest release that the newest copy knows. A copy that does not know the newest release is of no use.",
		func(b *ingest.Backup) float64 { return float64(b.Release) }),
	{Name: "anond_state_behind_ledger", Help: "1: the ledger names a later release than the state has decided, so another process has " +
		"published. A start refuses such a state (exit 5).", Read: func(s *monitor.View, e gauge.Emit) { e(gauge.Truth(s.Behind)) }},
}
