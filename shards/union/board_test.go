package union

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"anond/internal/ops/duty"
	"anond/snapshot"
	"anond/snapshot/publish"
)

type still struct{ now time.Time }

func (s still) Now() time.Time                                { return s.now }
func (still) Ticker(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }

// TestBoard: ages and alarms are of the moment of looking, so a shard gets late while attempts
// fail; what a failed attempt leaves is what was known before.
func TestBoard(t *testing.T) {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return begin.Add(d).Format(time.RFC3339) }
	b, d := &Board{StaleAfter: time.Hour}, duty.NewDuty("", still{begin})
	look := b.Look(d)
	s := look(begin)
	assert.Equal(t, "attempt the first one is under way", s.Parts()[0].Name+" "+s.Parts()[0].State)
	b.tried(begin, &Outcome{Published: true, Release: 3, Records: 50, dataset: "x", createdAt: at(0), waiting: []int{2},
		Shards: []shard{{Shard: 0, Release: 2, CreatedAt: at(-time.Minute)}, {Shard: 1, Release: 1, CreatedAt: at(-50 * time.Minute)},
			{Shard: 2}}}, nil)
	s = look(begin)
	stale := func() (out []bool) {
		for _, x := range s.Shards {
			out = append(out, x.Stale)
		}
		return out
	}
	assert.Equal(t, []bool{false, false, true}, stale())
	assert.Equal(t, "release 3 of 3 shards, 1 late", s.Line())
	assert.EqualValues(t, 60, s.Shards[0].Age)

	b.tried(begin.Add(time.Minute), nil, errors.New("a disk is away"))
	s = look(begin.Add(11 * time.Minute))
	assert.Equal(t, []bool{false, true, true}, stale())
	assert.EqualValues(t, 61*60, s.Shards[1].Age)
	assert.Equal(t, []uint64{2, 1, 1}, []uint64{s.Attempts, s.Failures, s.Composed})
	assert.EqualValues(t, 3, s.Release)
	assert.Equal(t, begin, *s.LastSuccess)
	assert.False(t, s.Parts()[0].Ready)
	assert.True(t, s.Parts()[1].Ready)
	var none *Board
	none.tried(begin, nil, nil)
}

// TestTheAlarmIsRaisedWhileAttemptsFail: by the releases that were known last.
func TestTheAlarmIsRaisedWhileAttemptsFail(t *testing.T) {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := begin
	d := duty.NewDuty("", still{begin})
	r := &runner{Options: Options{Shards: 1, StaleAfter: time.Hour, Log: d.Log(slog.New(slog.DiscardHandler)),
		Now: func() time.Time { return now }},
		stale: map[int]bool{}, union: &union{Directory: publish.Directory{FS: snapshot.OS(), Dir: t.TempDir()}}} // 0 shards: each attempt fails
	alarms := func() uint64 {
		_, err := r.attempt()
		assert.Error(t, err)
		_, events := d.Counts()
		return events["shard_stale"]
	}
	assert.Zero(t, alarms(), "nothing is known of the shard")
	r.newest = &Outcome{Shards: []shard{{Shard: 0, Release: 4, CreatedAt: begin.Format(time.RFC3339)}}}
	assert.Zero(t, alarms())
	now = begin.Add(2 * time.Hour)
	assert.EqualValues(t, 1, alarms())
	assert.EqualValues(t, 1, alarms(), "once")
}
