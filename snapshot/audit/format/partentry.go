package format

import (
	"slices"
	"strconv"
	"strings"
)

// Part is one part of a release in parts: what some release gave birth to, or a
// compaction of several of them. Its bytes never change; later releases hold
// links to the same files.
type Part struct {
	Shard   *int   `json:"shard"` // of a union: whose part it is
	Name    string `json:"part"`
	Release int    `json:"release"` // that wrote the part first
	Classes int    `json:"classes"` // dead ones included
	Buckets int    `json:"buckets"` // level L2
	Pools   int    `json:"pools"`
	Rows    int    `json:"rows"`
	Mode    string `json:"mode"`
	Files   []File `json:"files"`
	// Dead are the numbers of classes that were regrouped since.
	Dead []int `json:"dead"`
	// Stale is, by bucket, how many of its people have sent an update or a delete since: [bucket, people].
	Stale [][2]int `json:"stale"`
	// Withdrawn are the buckets that have left, ascending: rows and bags of theirs are not in the files.
	Withdrawn []int `json:"withdrawn"`
	// Replaces are the parts that a compaction holds, one after another.
	Replaces []Replaced `json:"replaces"`
}

// Replaced is a part whose classes are in a compacted one, renumbered from
// FirstClass on.
type Replaced struct {
	Part       string `json:"part"`
	FirstClass int    `json:"first_class"`
	Classes    int    `json:"classes"`
	// Level L2: its buckets and pools are renumbered likewise.
	FirstBucket int `json:"first_bucket"`
	Buckets     int `json:"buckets"`
	FirstPool   int `json:"first_pool"`
	Pools       int `json:"pools"`
}

// PartMode is the mode of every file of a part: nobody writes it again by accident.
const PartMode = "0444"

// births are the releases whose births a part holds.
type births struct{ First, Last int }

// ParsePartName reads part-000007 or part-000001-000010.
func ParsePartName(name string) (births, bool) {
	rest, ok := strings.CutPrefix(name, "part-")
	from, to, several := strings.Cut(rest, "-")
	if !several {
		to = from
	}
	first, last := parseSixDigits(from), parseSixDigits(to)
	return births{first, last}, ok && first > 0 && last > 0 && (first < last) == several && first <= last
}

// parseSixDigits reads a number of six digits, or of more without a leading
// zero; 0: it is not one.
func parseSixDigits(s string) int {
	if len(s) < 6 || len(s) > 9 || strings.Trim(s, "0123456789") != "" || len(s) > 6 && s[0] == '0' {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}

// PartName is the name of the part that holds the births of one release.
func PartName(release int) string {
	digits := strconv.Itoa(release)
	return "part-" + strings.Repeat("0", max(0, 6-len(digits))) + digits
}

// checkParts tests what any later step relies on.
func (m *Manifest) checkParts() string {
	if len(m.Parts) == 0 && m.Expired == 0 && m.whole == nil && (m.Union == nil || m.Window == "") {
		return "has no parts"
	}
	classes := 0
	for i := range m.Parts {
		p := &m.Parts[i]
		if classes += min(p.Classes, MaxRows+1); classes > MaxRows {
			return "the parts have too many classes"
		}
		if _, ok := ParsePartName(p.Name); !ok || p.Release < 1 || !inRange(p.Classes) || !inRange(p.Rows) ||
			!inRange(p.Buckets) || !inRange(p.Pools) {
			return "an entry of parts is malformed"
		}
		if !wellFormedFiles(p.Files) {
			return "an entry of files is malformed"
		}
		for _, r := range p.Replaces {
			if _, ok := ParsePartName(r.Part); !ok || r.FirstClass < 1 || !inRange(r.FirstClass) || !inRange(r.Classes) ||
				!inRange(r.FirstBucket) || !inRange(r.Buckets) || !inRange(r.FirstPool) || !inRange(r.Pools) {
				return "an entry of replaces is malformed"
			}
		}
		for _, n := range p.Withdrawn {
			if n < 1 || !inRange(n) {
				return "a withdrawn bucket is not a positive number"
			}
		}
		for _, s := range p.Stale {
			if !inRange(s[0]) || !inRange(s[1]) {
				return "an entry of stale is malformed"
			}
		}
		for _, c := range p.Dead {
			if c < 1 || !inRange(c) {
				return "a dead class is not a positive number"
			}
		}
	}
	return ""
}

// inRange bounds numbers of rows and classes, so that sums of them do not overflow.
func inRange(n int) bool { return n >= 0 && n <= MaxRows }

func wellFormedFiles(files []File) bool {
	return !slices.ContainsFunc(files, func(f File) bool {
		return !IsSHA(f.SHA256) || f.Bytes < 0 || f.Rows < 0 || !isFileName(f.Name)
	})
}

// CheckLayout tests the list of parts by itself: names, order, dead classes,
// numbers of compacted parts.
func CheckLayout(man *Manifest, f *Faults) {
	seen := map[string]bool{}
	after := 0 // the newest birth so far
	for i := range man.Parts {
		p := &man.Parts[i]
		f.Part = p.Name
		range_, _ := ParsePartName(p.Name)
		if seen[p.Name] {
			f.Add("chain", KindPartTwice, man.Release, 0, "parts", "a part is listed twice: its people would be there twice")
		} else if range_.First <= after {
			f.Add("chain", KindPartOrder, man.Release, 0, "parts", "parts are not listed in order of birth, or their births overlap")
		}
		if range_.First <= man.Expired {
			f.Add("W", KindExpiredLinked, man.Release, 0, "parts", "a part is shown whose births have left")
		}
		seen[p.Name] = true
		after = max(after, range_.Last)
		if p.Release < range_.Last || p.Release > man.Release {
			f.Add("chain", KindPartForeign, man.Release, 0, "parts", "a part is written before its births, or after this release")
		}
		if p.Mode != PartMode {
			f.Add("files", KindFileMode, man.Release, 0, "mode", "the manifest does not say mode 0444 for a part")
		}
		checkDeadList(man, p, f)
		checkWithdrawn(man, p, f)
		checkReplaces(man, p, range_, f)
	}
	f.Part = ""
	if own := man.own(); own == nil && !man.loses() && !man.Former() || own != nil && len(own.Dead) > 0 {
		f.Add("chain", KindPartMissing, man.Release, 0, "parts", "the newest part is not what this release gave birth to, all of it alive")
	}
}

func checkDeadList(man *Manifest, p *Part, f *Faults) {
	wrong := 0
	for i, c := range p.Dead {
		if c > p.Classes || i > 0 && c <= p.Dead[i-1] {
			wrong++
		}
	}
	f.AddN("chain", KindDeadList, man.Release, 0, "dead",
		"the list of dead classes is not ascending, or names classes the part does not have", wrong)
}

// checkReplaces tests that the parts that a compaction holds tile its births and
// its classes.
func checkReplaces(man *Manifest, p *Part, range_ births, f *Faults) {
	if (len(p.Replaces) > 0) != (range_.First < range_.Last) {
		f.Add("chain", KindCompaction, man.Release, 0, "replaces",
			"a part of several births does not say which parts it replaces, or one of a single birth does")
		return
	}
	checkBucketMap(man, p, f)
	class, birth := 1, range_.First
	for _, r := range p.Replaces {
		if r.FirstClass != class {
			f.Add("chain", KindFirstClass, man.Release, class, "first_class",
				"the classes of a replaced part do not begin where those before it end")
		}
		class += r.Classes
		b, _ := ParsePartName(r.Part)
		if b.First != birth && (!man.loses() || b.First < birth) { // a release of which something leaves may have no births
			f.Add("chain", KindCompaction, man.Release, 0, "replaces",
				"replaced parts are not listed in order of birth, or births are missing")
		}
		birth = b.Last + 1
	}
	if len(p.Replaces) > 0 && (class != p.Classes+1 || birth != range_.Last+1) {
		f.Add("chain", KindCompaction, man.Release, 0, "replaces",
			"the replaced parts have other births or another number of classes than the compacted part")
	}
}

// Layout numbers the classes of all parts of a release through, dead ones and those that have left
// included. Parts only ever join at the end and leave at the beginning, and a compaction keeps the order, so
// the number of a class stays the same as long as the chain obeys its format.
type Layout struct {
	names []string
	Start []uint32 // len(names)+1
	At    map[string]int
	Dead  map[uint32]bool
}

// NewLayout numbers on from a number: that of the first class that has not left.
func NewLayout(man *Manifest, from uint32) *Layout {
	l := &Layout{Start: []uint32{from}, At: map[string]int{}, Dead: map[uint32]bool{}}
	for i := range man.Parts {
		p := &man.Parts[i]
		l.names = append(l.names, p.Name)
		if _, twice := l.At[p.Name]; !twice {
			l.At[p.Name] = i
		}
		from := l.Start[i]
		for _, c := range p.Dead {
			if c <= p.Classes {
				l.Dead[from+uint32(c)-1] = true
			}
		}
		l.Start = append(l.Start, from+uint32(p.Classes))
	}
	return l
}

// Without leaves out the first parts, which have left. Numbers stay.
func (l *Layout) Without(parts int) *Layout {
	if parts == 0 {
		return l
	}
	out := &Layout{names: l.names[parts:], Start: l.Start[parts:], At: map[string]int{}, Dead: l.Dead}
	for name, i := range l.At {
		if i >= parts {
			out.At[name] = i - parts
		}
	}
	return out
}

func (l *Layout) Classes() int { return int(l.Start[len(l.Start)-1]) }

// Place names the class of a number. One that a damaged release has behind its last part is in none.
func (l *Layout) Place(id uint32) (part string, number int) {
	i := l.Part(id)
	if i >= len(l.names) {
		return "", int(id)
	}
	return l.names[i], int(id-l.Start[i]) + 1
}

// Part is the index of the part of a class.
func (l *Layout) Part(id uint32) int {
	i, _ := slices.BinarySearch(l.Start, id+1)
	return i - 1
}

// checkBucketMap tests that the replaced parts of a compaction tile its buckets and its pools.
func checkBucketMap(man *Manifest, p *Part, f *Faults) {
	if len(p.Replaces) == 0 {
		return
	}
	bucket, pool, wrong := 1, 1, 0
	for _, r := range p.Replaces {
		if man.AtL2() && (r.FirstBucket != bucket || r.FirstPool != pool) ||
			!man.AtL2() && (r.FirstBucket != 0 || r.Buckets != 0 || r.FirstPool != 0 || r.Pools != 0) {
			wrong++
		}
		bucket, pool = bucket+r.Buckets, pool+r.Pools
	}
	if bucket != p.Buckets+1 || pool != p.Pools+1 {
		wrong++
	}
	f.AddN("chain", KindFirstBucket, man.Release, 0, "first_bucket",
		"the buckets and pools of a replaced part do not begin where those before it end", wrong)
}

// RowsOf is the number of rows of a file, as the entry of the part says.
func (p *Part) RowsOf(name string) int {
	i := slices.IndexFunc(p.Files, func(e File) bool { return e.Name == name })
	if i < 0 {
		return 0
	}
	return p.Files[i].Rows
}
