package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/verify"
)

// plainManifest is a second reader of manifests: a stricter library, which refuses names
// that are there twice, unknown or in other case, and bytes that are no UTF-8; and the rules
// of the parts as they are documented (docs/FORMAT.md). strict says that the library accepts
// the bytes.
func plainManifest(data []byte) (m *snapshot.Manifest, strict bool, err error) {
	m = &snapshot.Manifest{}
	if json.Unmarshal(data, m, json.RejectUnknownMembers(true)) != nil {
		return nil, false, nil
	}
	shards := m.Union != nil || slices.ContainsFunc(m.Parts, func(p snapshot.PartEntry) bool { return p.Shard != nil })
	switch {
	case m.FormatVersion == 6 && len(m.Parts) > 0 && !shards:
		err = plainParts(m.Parts)
	case m.FormatVersion == 6 && len(m.Parts) > 0 && m.Union != nil:
		err = plainUnion(m)
	default:
		err = fmt.Errorf("version %d with %d parts", m.FormatVersion, len(m.Parts))
	}
	privacies := []snapshot.Privacy{m.Privacy}
	for _, e := range m.Eras {
		privacies = append(privacies, e.Privacy)
	}
	for _, p := range privacies {
		if n := p.MaxRecords; err == nil && n != 0 && !(2 <= n && n <= 15 && p.Settle != "") {
			err = fmt.Errorf("histories of %d records", n)
		}
	}
	if err == nil {
		err = plainEras(m)
	}
	return m, true, err
}

// plainEras: each release is of one era, and so is each part.
func plainEras(m *snapshot.Manifest) error {
	of := func(release uint32) (era int) {
		for era < len(m.Eras) && m.Eras[era].Until < release {
			era++
		}
		return era
	}
	parts := map[int]int{}
	for i := range m.Parts {
		first, last := m.Parts[i].Births()
		if of(first) != of(last) {
			return fmt.Errorf("part %q is of two eras", m.Parts[i].Part)
		}
		parts[of(last)]++
	}
	last := uint32(0)
	for i, e := range m.Eras {
		if e.Until <= last || e.Until >= m.Release || parts[i] == 0 || e.Policy.Level != m.Policy.Level || m.Union != nil {
			return fmt.Errorf("era %d of %d", i, len(m.Eras))
		}
		last = e.Until
	}
	return nil
}

var partPattern = regexp.MustCompile(`^part-([0-9]{6}|[1-9][0-9]{6,9})(?:-([0-9]{6}|[1-9][0-9]{6,9}))?$`)

func plainParts(parts []snapshot.PartEntry) error {
	covered := 0
	for _, p := range parts {
		found := partPattern.FindStringSubmatch(p.Part)
		if found == nil {
			return fmt.Errorf("%q names no part", p.Part)
		}
		first, _ := strconv.Atoi(found[1])
		last := first
		if found[2] != "" {
			last, _ = strconv.Atoi(found[2])
			if last <= first {
				return fmt.Errorf("%q is a range of one", p.Part)
			}
		}
		if first != covered+1 || p.Mode != "0444" || p.Classes < 1 || int(p.Release) < last {
			return fmt.Errorf("%q does not follow, or is not what a part is", p.Part)
		}
		covered = last
		dead := slices.Compact(slices.Sorted(slices.Values(p.Dead)))
		if !slices.Equal(dead, p.Dead) || len(dead) > 0 && (dead[0] == 0 || int(dead[len(dead)-1]) > p.Classes) {
			return fmt.Errorf("%q has dead classes %v", p.Part, p.Dead)
		}
	}
	return nil
}

// plainUnion: each shard once and in order, and behind each other the parts of those that
// have a release.
func plainUnion(m *snapshot.Manifest) error {
	u := m.Union
	if u.Of < 1 || u.Of > snapshot.MaxShards || len(u.Shards) != u.Of {
		return fmt.Errorf("%d of %d shards", len(u.Shards), u.Of)
	}
	var order []int
	of := map[int][]snapshot.PartEntry{}
	for _, p := range m.Parts {
		if p.Shard == nil {
			return fmt.Errorf("%q is of no shard", p.Part)
		}
		order, of[*p.Shard] = append(order, *p.Shard), append(of[*p.Shard], p)
	}
	if !slices.IsSorted(order) || order[0] < 0 || order[len(order)-1] >= u.Of {
		return fmt.Errorf("parts of shards %v", order)
	}
	for i, s := range u.Shards {
		if s.Shard != i || (s.Release > 0) != (s.SHA256 != "") || (s.Release > 0) != (len(of[i]) > 0) {
			return fmt.Errorf("shard %d is %d, and has %d parts", i, s.Shard, len(of[i]))
		}
		if err := plainParts(of[i]); err != nil {
			return err
		}
	}
	return nil
}

// agreesWithSecondReader: what the second reader accepts, the publisher's reads as the
// same; what the second reader refuses by a rule, the publisher's refuses. It returns the
// error of the publisher's reader.
func agreesWithSecondReader(t *testing.T, data []byte) error {
	t.Helper()
	got, err := snapshot.DecodeManifest(data)
	switch want, strict, refused := plainManifest(data); {
	case !strict:
	case refused != nil:
		require.ErrorIs(t, err, snapshot.ErrDamaged, "the second reader: %v", refused)
	default:
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	return err
}

// FuzzManifest: whatever a manifest holds, reading it ends in one whose parts cover
// releases in order, and that a second reader reads as the same, or in an error.
func FuzzManifest(f *testing.F) {
	golden, err := filepath.Glob(filepath.Join("publish", "testdata", "golden", "*", "manifest.json"))
	require.NoError(f, err)
	require.NotEmpty(f, golden)
	golden = append(golden, filepath.Join("..", "shards", "union", "testdata", "manifest.json"),
		filepath.Join("publish", "testdata", "golden", "eras", "000003", "manifest.json"))
	for _, name := range golden {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
		_, strict, err := plainManifest(data)
		require.True(f, strict && err == nil, "the second reader refuses %s: %v", name, err)
	}
	f.Add([]byte(`{"format_version": 6,"release":2,` +
		`"parts":[{"part":"part-000001-000002","mode":"0444","release":2,"classes":4,"dead":[1,4]}]}`))
	for _, n := range []string{"-1", "1", "2", "15", "16", "1000000000000"} {
		f.Add([]byte(`{"format_version":6,"release":1,"parts":[{"part":"part-000001","mode":"0444","release":1,"classes":4}],` +
			`"privacy":{"max_records":` + n + `,"settle":"90d"}}`))
	}
	for _, untils := range []string{`{"until":2}`, `{"until":1}`, `{"until":3}`, `{"until":1},{"until":2}`, `{"until":2},{"until":1}`,
		`{"until":0}`} {
		f.Add([]byte(`{"format_version":6,"release":3,"parts":[{"part":"part-000001-000002","mode":"0444","release":2,"classes":4},` +
			`{"part":"part-000003","mode":"0444","release":3,"classes":4}],"eras":[` + untils + `]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if agreesWithSecondReader(t, data) != nil {
			return // in a directory, too, it is damage; files would cost most of the time
		}
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "000001"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "000001", "manifest.json"), data, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("000001\n"), 0o600))
		_, err := verify.Dir(snapshot.OS(), dir, "")
		require.NoError(t, err)
		m, err := snapshot.Show(snapshot.OS(), dir, 0)
		if err != nil {
			return
		}
		next, shard := uint32(1), -1
		for _, p := range m.Parts {
			if p.Shard != nil && *p.Shard > shard {
				next, shard = 1, *p.Shard
			}
			first, last := p.Births()
			require.Equal(t, next, first)
			next = last + 1
			for _, n := range p.Dead {
				require.LessOrEqual(t, int(n), p.Classes)
			}
		}
		for i := range m.Parts {
			require.NotEmpty(t, m.Parts[i].Dir())
		}
	})
}
