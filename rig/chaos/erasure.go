package chaos

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"anond/incremental"
)

// Plans whose buckets leave on request (subject.erasure).

// generateErasing is generate for plans of datasets whose buckets leave when their people have asked, inside this process. It draws from a
// generator of its own, so that other plans are what they were.
func generateErasing(seed uint64, number int) *chaosPlan {
	r := rand.New(rand.NewPCG(seed, 1<<40+uint64(number)))
	p := &chaosPlan{Name: fmt.Sprintf("%d/erasing/%d", seed, number), World: setting(r, false)}
	w := &p.World
	w.Level, w.Recoding = "L2", "buckets"
	w.Deletes, w.Window = r.IntN(2) == 0, ""
	w.Erasure = []string{"1h 1", "1h 1", "5h 2", "50h 1"}[r.IntN(4)]
	if r.IntN(2) == 0 {
		w.Window = []string{"2", "3", "6", "4h", "30h", "200h"}[r.IntN(6)]
	}
	if number%5 == 4 {
		w.divide(r)
		w.Journal = false // with one, no bucket leaves
		p.add(stepFeed, 60*w.Shards, r)
	}
	own := rand.New(rand.NewPCG(seed, 3<<40+uint64(number)))
	if own.IntN(4) == 0 {
		w.observe(own)
	}
	w.share(own)
	p.add(stepFeed, 60+r.IntN(60), r)
	if r.IntN(3) > 0 {
		p.add(stepRun, 1, r)
	}
	for range 1 + r.IntN(2) {
		p.asking(r)
		p.round(r)
	}
	return p
}

// asking has people forgotten, and time pass. Half of the runs that then withdraw buckets meet a fault of their own: the process dies, or
// the power is cut, at any step of the release, or the clock leaps or falls. Behind some, an older copy of the state comes back.
func (p *chaosPlan) asking(r *rand.Rand) {
	copied := r.IntN(4) == 0
	if copied {
		p.add(stepBackup, 1, r)
	}
	for range 1 + r.IntN(4) {
		p.add(stepForget, 1, r)
	}
	p.add(stepPass, 1+r.IntN(60), r)
	if r.IntN(3) == 0 { // it is read with the release that withdraws
		p.add(stepFeed, 20+r.IntN(30), r)
	}
	run := []string{stepRun, stepLive}[r.IntN(2)]
	if r.IntN(2) == 0 {
		steps := []string{"kill-effect", "kill-before-commit", "kill-after-commit", "cut-effect", "cut-commit", "fail-write", "fail-sync",
			"flip-render", "clock-leaps", "clock-falls"}
		name := steps[r.IntN(len(steps))]
		p.add(name, 1+r.IntN(1+kinds[name].most/2), r) // a release that withdraws has fewer steps than a load
		if ofClock(name) {
			run = stepLive
		}
	}
	p.add(run, 1, r)
	if copied {
		p.add("restore-old", 1, r)
		p.add(stepRun, 1, r)
	}
}

// heeds takes over from the setting whether buckets leave.
func (s *site) heeds(w *planSetting) {
	s.erasing, s.windowed = w.Erasure != "", w.Window != ""
	if w.Views {
		s.view = newArchive(s.path("disk/seen"))
		s.view.ledger = s.path("disk/elsewhere/seen")
	}
	_, s.least = w.erasure()
}

// erasure is the period of the plan, and how many requests a bucket leaves for.
func (w *planSetting) erasure() (every time.Duration, count int) {
	period, least, _ := strings.Cut(w.Erasure, " ")
	every, _ = time.ParseDuration(period)
	count, _ = strconv.Atoi(least)
	return every, count
}

// withdrawals holds who was in which bucket of which release against who was forgotten. rows are those of the members export. Buckets
// leave whole, with enough requests, and all of those that had them; nobody comes back, also not as another record; and the
// counts of state, ledger and manifest are those of the people. It returns how many rows that have left have no owner.
func (s *site) withdrawals(releases int, rows [][]string, status incremental.Status) (left int, err error) {
	in := make([]map[string]string, releases+1) // by release and record: its bucket
	for n := range in {
		in[n] = map[string]string{}
	}
	for _, row := range rows {
		n, err := strconv.Atoi(row[0])
		if err != nil {
			return 0, err
		}
		in[n][row[1]] = row[2] + "/" + row[4]
	}
	gone, record := map[string]bool{}, map[int]string{}
	for n := 1; n <= releases; n++ {
		for r := range in[n] {
			if gone[r] {
				return 0, fmt.Errorf("record %s has left the releases, and is in release %d", r, n)
			}
			if strings.HasPrefix(r, ownerless) {
				continue
			}
			m, err := s.message(r)
			if err != nil {
				return 0, err
			}
			if s.feed.forgotten(m) {
				return 0, fmt.Errorf("person %d was forgotten, and the state knows the row in release %d", m.person, n)
			}
			if other := record[m.person]; other != "" && other != r {
				return 0, fmt.Errorf("person %d is published as %s and as %s", m.person, other, r)
			}
			record[m.person] = r
		}
		if n == releases {
			break
		}
		if err := s.leave(n, in[n], in[n+1], gone); err != nil {
			return 0, err
		}
	}
	for bucket, asked := range requests(in[releases]) {
		if asked >= s.least {
			return 0, fmt.Errorf("%d people of bucket %s have asked to be erased, and release %d shows it", asked, bucket, releases)
		}
	}
	if len(gone) != status.Withdrawn || len(in[releases]) != status.Published {
		return 0, fmt.Errorf("%d people are published and %d were withdrawn; the state counts %d and %d", len(in[releases]), len(gone),
			status.Published, status.Withdrawn)
	}
	for r := range gone {
		if strings.HasPrefix(r, ownerless) {
			left++
		}
	}
	ever := status.Published + status.Expired + status.Withdrawn
	if is, ok := s.archive.sealed[releases]; ok && is.people != ever {
		return 0, fmt.Errorf("the ledger sealed release %d as %+v, and %d people were ever published", releases, is, ever)
	}
	m, err := manifestOf(s.archive.files, fmt.Sprintf("%06d", releases))
	if err == nil && (m.Records != status.Published || m.PeopleEver != ever) {
		err = fmt.Errorf("release %d has %d records, of %d people ever; there are %d, of %d", releases, m.Records, m.PeopleEver,
			status.Published, ever)
	}
	return left, err
}

// leave notes who is in a release and not in the next: whole buckets, for whose people there were enough requests.
func (s *site) leave(n int, now, next map[string]string, gone map[string]bool) error {
	stays, leaves, asked := map[string]bool{}, map[string]bool{}, requests(now)
	for r, bucket := range now {
		if _, there := next[r]; there {
			stays[bucket] = true
			continue
		}
		leaves[bucket], gone[r] = true, true
	}
	for bucket := range leaves {
		if stays[bucket] || asked[bucket] < s.least {
			return fmt.Errorf("bucket %s leaves behind release %d: whole: %v, requests: %d", bucket, n, !stays[bucket], asked[bucket])
		}
	}
	return nil
}

// requests counts the rows without owner, by bucket.
func requests(in map[string]string) map[string]int {
	out := map[string]int{}
	for r, bucket := range in {
		if strings.HasPrefix(r, ownerless) {
			out[bucket]++
		}
	}
	return out
}

// everBy is who was published in releases up to each, whether they are in it or not.
func everBy(in []map[string]bool) (out []int) {
	ever := map[string]bool{}
	for _, of := range in {
		for r := range of {
			ever[r] = true
		}
		out = append(out, len(ever))
	}
	return out
}
