package chaos

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/internal/upkeep"
	"anond/snapshot/audit"
)

// verdict holds what is there at the end of a plan against what was sent. It shares
// nothing with the publisher but the formats of files and exports.
func (s *site) verdict() error {
	if faults, err := boltstore.Check(s.config.State.Path, boltstore.Options{}); err != nil || len(faults) > 0 {
		return fmt.Errorf("state check: %v %w", faults, err)
	}
	e, err := upkeep.OpenExporter(s.config)
	if err != nil {
		return err
	}
	var records, members bytes.Buffer
	if err := errors.Join(e.Records(&records), e.Members(&members, 1, e.Releases())); err != nil {
		return err
	}
	status := e.Machine().Status()
	gone, either, err := s.counted(status.Sent, records.Bytes())
	if err != nil {
		return err
	}
	if due := e.Machine().Forgetting().Due(); due > 0 {
		return fmt.Errorf("%d people are still to be forgotten", due)
	}
	if got := status.Accounted(); got != status.Sent {
		return fmt.Errorf("sent %d, but published + pending + dead letters + forgotten + beyond is %d", status.Sent, got)
	}
	if err := s.witnessed(e.Machine().Judged()); err != nil {
		return err
	}
	if s.log.Has(0, canary) {
		return errors.New("the log holds a person's value")
	}
	left, err := s.published(int(e.Releases()), status, e.Machine().Digests(), members.Bytes())
	if err != nil {
		return err
	}
	if n := status.Expired - len(s.expired); n < 0 {
		return fmt.Errorf("the records of %d people have left the state, and it counts %d people whose parts have expired", len(s.expired),
			status.Expired)
	} else {
		left += n // rows without owner, in parts that have expired
	}
	// Where people settle, what was beyond before they were forgotten counts as beyond for good.
	if n := int(status.Forgotten) - (gone - left); (n < -s.later() || n > either) && s.feed.settle == 0 {
		return fmt.Errorf("the state counts %d forgotten; there are %d, of which %d are published", status.Forgotten, gone, left)
	}
	if outlook, err := e.Machine().Outlook(state.AtEnd); err != nil || outlook.Newcomers > 0 && !outlook.Refused {
		return fmt.Errorf("nothing more happens, and people could be published that are not: %+v: %w", outlook, err)
	}
	if s.view != nil {
		_, sealed := s.view.sealed[int(e.Releases())]
		if newest := s.view.newest(); newest != s.archive.newest() || newest != "" && !sealed {
			return fmt.Errorf("the newest release is %s, and that of the view %s; its ledger names it: %v", s.archive.newest(), newest, sealed)
		}
	}
	s.exports = audit.Exports{Members: members.Bytes(), Records: records.Bytes()}
	if e.Releases() == 0 {
		return nil
	}
	return certified("the chain", s.chain())
}

// ownerless is how exports name rows whose people were forgotten.
const ownerless = "forgotten:"

// counted checks that each record sent is in the state or among the dead letters, once; and
// that those of people who are to be forgotten are nowhere; it returns how many they are.
//
// A record that is refused counts as forgotten if it is read behind the delete of its person. After
// an older state was restored it may be either, next to the letter of before.
func (s *site) counted(sent uint64, records []byte) (gone, either int, err error) {
	rows, err := csv.NewReader(bytes.NewReader(records)).ReadAll()
	if err != nil {
		return 0, 0, err
	}
	seen := map[string]int{}
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[0], ownerless) {
			seen[row[0]]++
		}
	}
	refused, err := s.refusedRecords()
	if err != nil {
		return 0, 0, err
	}
	total, found := 0, 0
	s.expired = map[int]bool{}
	var fates [][]fate
	fates, s.lived = s.feed.fates()
	for p, list := range s.feed.parts {
		for offset, m := range list {
			at, due := s.place(p, offset), fates[p][offset]
			accepted, letters := seen[at], refused[at]
			total++
			found += min(1, accepted) + min(1, letters)
			if due == letter && s.feed.gone[m.person] { // it came before the person was forgotten, or too late to be refused
				if letters == 0 {
					gone++
				} else {
					either++
				}
				due = map[bool]fate{true: passed, false: letter}[letters == 0]
			} else if s.feed.forgotten(m) && !s.feed.foreign[m.person] {
				due, gone = passed, gone+1
			}
			if s.windowed && due == isShown && accepted+letters == 0 {
				s.expired[m.person] = true
				continue
			}
			if accepted != map[bool]int{true: 1}[due == isShown] || letters != map[bool]int{true: 1}[due == letter] {
				return 0, 0, fmt.Errorf("record %s (to be refused: %v, to be kept: %v) is in the state %d times and among the dead letters %d "+
					"times", at, due == letter, due == isShown, accepted, letters)
			}
		}
	}
	for p, list := range s.feed.parts { // a later record, which is beyond, may leave the state before the person does
		for offset, m := range list {
			if seen[s.place(p, offset)] > 0 {
				delete(s.expired, m.person)
			}
		}
	}
	if len(seen)+len(refused) != found || sent != uint64(total) {
		return 0, 0, fmt.Errorf("%d records were sent; the state counts %d; of %d that it has and %d that were refused, %d were sent", total,
			sent, len(seen), len(refused), found)
	}
	return gone, either, nil
}

// later counts the later records of people who are to be forgotten, where there is a window: one that is beyond leaves the state
// with a removal, maybe before the delete of its person, and counts as beyond for good.
func (s *site) later() (n int) {
	first := map[int]bool{}
	for _, part := range s.feed.parts {
		for _, m := range part {
			if !s.windowed || m.deletes || m.refused || !s.feed.gone[m.person] {
				continue
			}
			if first[m.person] {
				n++
			}
			first[m.person] = true
		}
	}
	return n
}

// refusedRecords reads the dead letters. A letter may be in a file that was moved away
// and in the one after it. A topic may have it more than once, under one key.
func (s *site) refusedRecords() (map[string]int, error) {
	out := map[string]int{}
	sinks := []func() ([][]byte, error){}
	for _, path := range append(slices.Clone(s.moved), s.letters()) {
		sinks = append(sinks, func() ([][]byte, error) { return linesOf(path) })
	}
	if s.topic != nil {
		sinks = append(sinks, s.topic)
	}
	for _, sink := range sinks {
		lines, err := sink()
		if err != nil {
			return nil, err
		}
		in := map[string]int{}
		for _, line := range lines {
			var l struct {
				Source            string
				Partition, Offset int
			}
			if err := json.Unmarshal(line, &l); err != nil {
				return nil, fmt.Errorf("a dead letter: %w", err)
			}
			in[fmt.Sprintf("%s:%d:%d", l.Source, l.Partition, l.Offset)]++
		}
		for at, n := range in {
			if s.topic != nil {
				n = 1
			}
			out[at] = max(out[at], n)
		}
	}
	return out, nil
}

// linesOf reads the lines of a file, which need not be there.
func linesOf(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || len(data) == 0 {
		return nil, nil
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")), err
}

func (s *site) place(partition, offset int) string {
	return fmt.Sprintf("%s:%d:%d", s.source, partition, offset)
}

// published checks who is published: nobody twice, nobody gone, and the values that
// the newest release shows are those of its people. It counts the rows whose people were
// forgotten.
func (s *site) published(releases int, status incremental.Status, digests int, members []byte) (left int, err error) {
	rows, err := csv.NewReader(bytes.NewReader(members)).ReadAll()
	if err != nil || releases == 0 {
		return 0, err
	}
	in := make([]map[string]bool, releases+1)
	for i := range in {
		in[i] = map[string]bool{}
	}
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[0])
		if err != nil {
			return 0, err
		}
		if in[n][row[1]] {
			return 0, fmt.Errorf("release %d has record %s twice", n, row[1])
		}
		in[n][row[1]] = true
	}
	if ledger, err := os.ReadFile(s.archive.ledger); err != nil || bytes.Count(ledger, []byte("\n")) != releases {
		return 0, fmt.Errorf("%d releases are published, and the ledger has %d lines: %w", releases, bytes.Count(ledger, []byte("\n")), err)
	}
	ever := everBy(in)
	for n := 1; n <= releases; n++ {
		if s.windowed { // people ever, of whom the exports know some
			break
		}
		if err := s.archive.counts(n, ever[n], digests); err != nil {
			return 0, err
		}
	}
	for n := 1; n < releases; n++ {
		for r := range in[n] {
			if !in[n+1][r] && !s.windowed && !s.erasing {
				return 0, fmt.Errorf("record %s is in release %d and not in the next", r, n)
			}
		}
	}
	persons, ills := map[int]bool{}, map[string]int{}
	for r := range in[releases] {
		if strings.HasPrefix(r, ownerless) {
			left++
			continue
		}
		m, err := s.message(r)
		if err != nil {
			return 0, err
		}
		if persons[m.person] {
			return 0, fmt.Errorf("person %d is published twice", m.person)
		}
		if s.expired[m.person] {
			return 0, fmt.Errorf("person %d has expired and is published again", m.person)
		}
		if s.feed.forgotten(m) {
			return 0, fmt.Errorf("person %d was forgotten and is published", m.person)
		}
		persons[m.person] = true
		records := []message{m}
		if s.feed.settle > 0 {
			records = s.lived[m.person]
		}
		for _, v := range sequences(records) {
			ills[v]++
		}
	}
	s.people = persons
	if err := s.shows(releases, ills, left); err != nil || !s.erasing {
		return left, err
	}
	withdrawn, err := s.withdrawals(releases, rows[1:], status)
	return left + withdrawn, err
}

// message finds what was sent by its place.
func (s *site) message(place string) (message, error) {
	parts := strings.Split(place, ":")
	p, err := strconv.Atoi(parts[len(parts)-2])
	if err != nil {
		return message{}, err
	}
	offset, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil || p >= len(s.feed.parts) || offset >= len(s.feed.parts[p]) {
		return message{}, fmt.Errorf("record %s was never sent: %w", place, err)
	}
	return s.feed.parts[p][offset], nil
}

// chain is what the auditor is asked about: all releases of a site, with its exports.
func (s *site) chain() audit.Options {
	o := audit.Options{Releases: s.config.Release.Dir, Ledger: s.config.Release.Ledger, Private: &s.exports, RequireCertified: true}
	if s.view != nil {
		o.Views = []string{s.view.dir}
	}
	return o
}

// shows compares the sensitive values that a release shows with those of its people, and
// with those of people who were forgotten, for so many rows that have no owner any more.
func (s *site) shows(release int, want map[string]int, left int) error {
	got, err := shown(s.config.Release.Dir, fmt.Sprintf("%06d", release))
	if err != nil {
		return err
	}
	had := s.feed.forgottenValues(s.lived)
	left *= 1 + s.feed.others
	for ill, n := range got {
		if extra := n - want[ill]; extra < 0 || extra > had[ill] {
			return fmt.Errorf("release %d shows the values %v, its people have %v, and those who were forgotten had %v", release, got, want, had)
		}
		left -= n - want[ill]
	}
	if left != 0 || len(want) > len(got) {
		return fmt.Errorf("release %d shows the values %v, its people have %v; %d rows too few have no owner", release, got, want, left)
	}
	return nil
}

// shown counts the sensitive values that a release shows.
func shown(dir, release string) (map[string]int, error) {
	files, err := releaseFiles(dir)
	if err != nil {
		return nil, err
	}
	m, err := manifestOf(files, release)
	if err != nil {
		return nil, err
	}
	got := map[string]int{}
	for _, p := range m.Parts {
		dead := map[string]bool{}
		for _, d := range p.Dead {
			dead[strconv.Itoa(d)] = true
		}
		bags := false // at level L2, values.csv has each person's value once; other files may have it again
		for _, f := range p.Files {
			bags = bags || f.Name == "values.csv"
		}
		for _, f := range p.Files {
			if bags && f.Name != "values.csv" {
				continue
			}
			if err := tally(got, files[release+"/"+p.dir()+"/"+f.Name], dead); err != nil {
				return nil, err
			}
		}
	}
	return got, nil
}

// tally adds the sensitive values of a file, if it has them: one a row, or with a count.
// Rows of dead classes do not count.
func tally(into map[string]int, content string, dead map[string]bool) error {
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil || len(rows) == 0 {
		return err
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	var later []int // of histories
	for n := 2; column(fmt.Sprintf("value_%d", n)) >= 0; n++ {
		later = append(later, column(fmt.Sprintf("value_%d", n)))
	}
	ill, count := column("ill"), column("count")
	if ill < 0 {
		ill = column("value")
	}
	attribute := column("attribute")
	class := max(column("class"), column("group"))
	if ill < 0 {
		return nil
	}
	for _, row := range rows[1:] {
		n := 1
		if class >= 0 && dead[row[class]] {
			continue
		}
		if count >= 0 {
			if n, err = strconv.Atoi(row[count]); err != nil {
				return err
			}
		}
		of := "ill"
		if attribute >= 0 {
			of = row[attribute]
		}
		value := row[ill]
		for _, at := range later {
			if row[at] != "" {
				value += ">" + row[at]
			}
		}
		into[of+"="+value] += n
	}
	return nil
}
