package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// removed takes the directory of a release away, and leaves nothing of it.
func removed(numbers ...int) func(t *testing.T, o *Options) {
	return func(t *testing.T, o *Options) {
		for _, n := range numbers {
			require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, format.DirName(n))))
		}
	}
}

// inLedger edits a line of the ledger, from 1.
func inLedger(line int, expression, by string) func(t *testing.T, o *Options) {
	return func(t *testing.T, o *Options) {
		rewrite(t, o.Ledger, func(b []byte) []byte {
			lines := strings.SplitAfter(string(b), "\n")
			edited := regexp.MustCompile(expression).ReplaceAllString(lines[line-1], by)
			require.NotEqual(t, lines[line-1], edited)
			lines[line-1] = edited
			return []byte(strings.Join(lines, ""))
		})
	}
}

// TestSealedFilesAreGone: where old releases were removed, and nothing is left of them but lines of the ledger, the verdict
// is sealed if the lines are unbroken up to the oldest release that is there, and chained to it. Everything that is there is
// checked as ever.
func TestSealedFilesAreGone(t *testing.T) {
	const other = "${1}" + "abcd"
	for _, c := range []struct {
		name    string
		damage  []func(t *testing.T, o *Options)
		verdict string
		kind    string // of a violation
		exit    int    // with RequireCertified
	}{
		{"nothing", nil, VerdictCertified, "", 0},
		{"the first", []func(*testing.T, *Options){removed(1)}, VerdictSealed, "", 0},
		{"all but the newest", []func(*testing.T, *Options){removed(1, 2, 3)}, VerdictSealed, "", 0},
		{"behind a pruned one", []func(*testing.T, *Options){func(t *testing.T, o *Options) { prune(t, o, 1) }, removed(2)},
			VerdictSealed, "", 0},
		{"one between others", []func(*testing.T, *Options){removed(2)}, verdictViolated, format.KindReleaseMissing, 3},
		{"without a ledger", []func(*testing.T, *Options){removed(1), func(_ *testing.T, o *Options) { o.Ledger = "" }}, verdictViolated,
			format.KindReleaseMissing, 3},
		{"a ledger without its line", []func(*testing.T, *Options){removed(1, 2), inLedger(1, "(?s).*", "")}, verdictViolated,
			format.KindReleaseMissing, 3},
		{"a ledger that ends before the newest", []func(*testing.T, *Options){removed(1), inLedger(4, "(?s).*", "")}, VerdictSealed, "", 1},
		{"a torn ledger", []func(*testing.T, *Options){removed(1), inLedger(4, "\n", "")}, VerdictSealed, "", 1},
		{"of another manifest", []func(*testing.T, *Options){removed(1, 2), inLedger(2, "^(2 )....", other)}, verdictViolated,
			format.KindChainBroken, 3},
		{"other data files, by the ledger", []func(*testing.T, *Options){removed(1), inLedger(2, "(parts )....", other)}, verdictViolated,
			format.KindLedgerMismatch, 3},
		{"other people, by the ledger", []func(*testing.T, *Options){removed(1), inLedger(2, "people ", "people 1")}, verdictViolated,
			format.KindLedgerMismatch, 3},
		{"other data files of one that is gone, by the ledger", []func(*testing.T, *Options){removed(1, 2), inLedger(1, "(parts )....", other)},
			verdictViolated, format.KindLedgerMismatch, 3},
		{"other people of one that is gone, by the ledger", []func(*testing.T, *Options){removed(1, 2), inLedger(1, `people \d+ digests \d+`,
			"people 1 digests 1")},
			verdictViolated, format.KindLedgerMismatch, 3},
		{"fewer known than before", []func(*testing.T, *Options){removed(1), inLedger(3, "digests ..", "digests 1")}, verdictViolated,
			format.KindLedgerMismatch, 3},
		{"the oldest that is there has other bytes", []func(*testing.T, *Options){removed(1, 2, 3), func(t *testing.T, o *Options) {
			rewrite(t, filepath.Join(o.Releases, "000004", "part-000003", "values.csv"), func(b []byte) []byte {
				return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1]
			})
		}}, verdictViolated, format.KindHashMismatch, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := standardL2("buckets")
			o := p.write(t)
			o.RequireCertified = true
			for _, damage := range c.damage {
				damage(t, &o)
			}
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, c.verdict, r.Verdict, "%v", r.Violations)
			require.Equal(t, c.exit, r.ExitCode())
			if c.kind != "" {
				require.Contains(t, kinds(r.Violations), c.kind)
			}
			if c.verdict == VerdictSealed {
				require.Equal(t, Level{VerdictSealed, VerdictSealed, levelStructure}, r.Level)
				var text strings.Builder
				require.NoError(t, r.Text(&text))
				require.Contains(t, text.String(), "The ledger says that they passed when they were made.")
				o.Members, o.Records = "", ""
				if r, err = Dir(o); err != nil || r.Verdict != VerdictConsistent {
					t.Fatal("without exports nothing is sealed", err, r.Verdict)
				}
			}
		})
	}
}

// TestSealedDecisions: what another program decided is sealed if a replay that was noted covers all of it, and this program
// makes the rest again, or that replay covers the rest, too.
func TestSealedDecisions(t *testing.T) {
	p := standardL2("buckets")
	o := p.write(t)
	ledger, err := os.ReadFile(o.Ledger)
	require.NoError(t, err)
	sha := strings.Fields(strings.Split(string(ledger), "\n")[2])[1]
	note := func(sha string, cuts int) string {
		return fmt.Sprintf("3 %s algorithm 9 cuts %d worlds 5 at 2026-11-27T08:00:00Z\n", sha, cuts)
	}
	others := "releases 1 to 2 are not replayable (decided by algorithm 9)"
	for _, c := range []struct {
		name, notes string
		reason      string
		verdict, l2 string
		exit        int
		foreign     int // releases that the other program decided
	}{
		{"covered", note(sha, 7), others, VerdictSealed, VerdictSealed, 0, 2},
		{"the better of two", note(sha, 7) + note(sha, 6), others, VerdictSealed, VerdictSealed, 0, 2},
		{"no replay is noted", "", others, VerdictConsistent, VerdictConsistent, 3, 2},
		{"a replay before the last of these cuts", note(sha, 6), others, VerdictConsistent, VerdictConsistent, 3, 2},
		{"a replay of another chain", note(strings.Repeat("ab", 32), 7), others, VerdictConsistent, VerdictConsistent, 3, 2},
		{"a replay before the last of these releases", note(sha, 7), others, VerdictConsistent, VerdictConsistent, 3, 4},
		{"the rest was not made again", note(sha, 8), "people were forgotten", VerdictConsistent, VerdictConsistent, 3, 2},
		{"all of it was, then", note(sha, 9), "people were forgotten", VerdictSealed, VerdictSealed, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			_ = os.Remove(o.Ledger + ".replays") // of the case before
			if c.notes != "" {
				require.NoError(t, os.WriteFile(o.Ledger+".replays", []byte(c.notes), 0o600))
			}
			o.RequireCertified = true
			o.Replay = &Replay{Outcome: ReplayNone, Reason: c.reason, Others: others, Foreign: Extent{7, c.foreign}, Cuts: 9, Releases: 3,
				Worlds: 3}
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, c.verdict, r.Verdict)
			require.Equal(t, c.exit, r.ExitCode())
			if c.verdict == VerdictSealed {
				require.Equal(t, c.l2, r.Level.L2)
			}
		})
	}
	for _, text := range []string{"", "3 " + sha + "\n", strings.TrimSuffix(note(sha, 7), "\n"), note(sha, -7), note(sha[1:], 7),
		strings.Replace(note(sha, 7), "Z", "", 1), "0" + note(sha, 7)} {
		require.NoError(t, os.WriteFile(o.Ledger+".replays", []byte(text), 0o600))
		_, err := Dir(o)
		var unreadable *format.UnreadableError
		require.ErrorAs(t, err, &unreadable, text)
	}
}

// sealedUnion is a union of two chains of level L2, whose ledgers lie with the exports.
func sealedUnion() *unionPlan {
	u := &unionPlan{vectors: [][]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}}}
	for shard := range 2 {
		p := standardL2("buckets")
		for i := range p.people {
			p.people[i].subject = fmt.Sprintf("key:shard-%d-person-%d", shard, i)
			p.people[i].age += 50 * shard
		}
		u.l2 = append(u.l2, p)
	}
	return u
}

// TestSealedShards: where releases of shards, of their union, or of both are gone, the union is sealed if the ledger of each says
// that they passed. A line that is not of what the union published is found.
func TestSealedShards(t *testing.T) {
	shardGone := func(shard string, numbers ...int) func(*testing.T, *Options) {
		return func(t *testing.T, o *Options) {
			for _, n := range numbers {
				require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, "shards", shard, format.DirName(n))))
			}
		}
	}
	pruned := func(numbers ...int) func(*testing.T, *Options) {
		return func(t *testing.T, o *Options) {
			for _, n := range numbers {
				pruneUnion(t, *o, n)
			}
		}
	}
	inShardsLedger := func(line int, expression, by string) func(*testing.T, *Options) {
		return func(t *testing.T, o *Options) {
			inLedger(line, expression, by)(t, &Options{Ledger: filepath.Join(o.Exports, "shard-1", "ledger")})
		}
	}
	withoutLedger := func(t *testing.T, o *Options) {
		require.NoError(t, os.Remove(filepath.Join(o.Exports, "shard-1", "ledger")))
	}
	for _, c := range []struct {
		name    string
		damage  []func(*testing.T, *Options)
		verdict string
		kind    string
		exit    int // with RequireCertified
	}{
		{"nothing", nil, VerdictCertified, "", 0},
		{"a shard's, the union has its files", []func(*testing.T, *Options){shardGone("1", 1)}, VerdictSealed, "", 0},
		{"a shard's, and the union's is pruned", []func(*testing.T, *Options){pruned(1, 2), shardGone("1", 1, 2)}, VerdictSealed, "", 0},
		{"of all", []func(*testing.T, *Options){removed(1, 2), shardGone("0", 1, 2), shardGone("1", 1)}, VerdictSealed, "", 0},
		{"the union's alone", []func(*testing.T, *Options){removed(1)}, VerdictSealed, "", 0},
		{"without the shard's ledger", []func(*testing.T, *Options){pruned(1), shardGone("1", 1), withoutLedger}, verdictViolated,
			format.KindReleaseMissing, 3},
		{"without the union's ledger", []func(*testing.T, *Options){removed(1), func(_ *testing.T, o *Options) { o.Ledger = "" }},
			verdictViolated, format.KindReleaseMissing, 3},
		{"another manifest, by the shard's ledger", []func(*testing.T, *Options){pruned(1, 2), shardGone("1", 1, 2),
			inShardsLedger(1, "^(1 )....", "${1}abcd")}, verdictViolated, format.KindVectorRelease, 3},
		{"another manifest, by the union's ledger", []func(*testing.T, *Options){removed(1, 2), inLedger(2, "^(2 )....", "${1}abcd")},
			verdictViolated, format.KindChainBroken, 3},
		{"a shard's ledger that ends before the newest", []func(*testing.T, *Options){removed(1), inShardsLedger(4, "(?s).*", "")},
			VerdictSealed, "", 1},
		{"one between others", []func(*testing.T, *Options){removed(2)}, verdictViolated, format.KindReleaseMissing, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := sealedUnion().write(t)
			o.RequireCertified = true
			for _, damage := range c.damage {
				damage(t, &o)
			}
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, c.verdict, r.Verdict, "%v", r.Violations)
			require.Equal(t, c.exit, r.ExitCode())
			if c.kind != "" {
				require.Contains(t, kinds(r.Violations), c.kind)
			}
			if c.verdict == VerdictSealed {
				require.Equal(t, VerdictSealed, r.Level.L0)
				var text strings.Builder
				require.NoError(t, r.Text(&text))
				require.Contains(t, text.String(), "sealed")
				o.Exports = ""
				if r, err = Dir(o); err == nil {
					require.NotContains(t, []string{VerdictSealed, VerdictCertified}, r.Verdict, "without exports nothing is sealed")
				}
			}
		})
	}
}
