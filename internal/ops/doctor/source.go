package doctor

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"anond/config"
	"anond/internal/dataset"
	"anond/internal/fault"
)

// answersWithin bounds each look at something outside.
const answersWithin = 15 * time.Second

// connections asks the brokers, or looks for the files. It reports whether the source can
// be read.
func (e *examination) connections(ctx context.Context) bool {
	c := e.Config
	if c.Source.Type == config.FromFile {
		names, err := filepath.Glob(c.Source.File.Path)
		if err == nil && len(names) == 0 {
			e.add(Warning, "source.file", "check source.file.path", "no file matches %s yet", c.Source.File.Path)
			return false
		}
		e.add(OK, "source.file", "", "files: %d", len(names))
	}
	bounded, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	probed, err := dataset.ProbeSource(bounded, c)
	if err != nil {
		e.add(Failed, "source.kafka", "correct the files of source.kafka.tls", "%v", err)
		return false
	}
	good := true
	for _, p := range probed {
		if p.Err == nil && p.Warning != nil {
			e.add(Warning, p.What, fault.Hint(p.Warning), "%v", p.Warning)
			continue
		}
		if p.Err == nil {
			e.add(OK, p.What, "", "%s", p.Detail)
			continue
		}
		good = false
		e.add(Failed, p.What, fault.Hint(p.Err), "%v", p.Err)
	}
	return good
}

// schema checks the schema against records of the source.
func (e *examination) schema(ctx context.Context, reached bool) {
	const check = "schema"
	if !reached {
		e.add(Note, check, "", "not compared with records, because the source cannot be read")
		return
	}
	bounded, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	s, err := dataset.TakeSample(bounded, e.Config, e.Sample)
	switch {
	case errors.Is(err, dataset.ErrNoSample):
		e.add(Note, check, "", "not compared with records: %v", err)
		return
	case err != nil:
		e.add(Failed, check, "check that the source holds what source.format and schema say", "the first records cannot be read: %v", err)
		return
	case s.Records == 0:
		e.add(Note, check, "", "the source holds no record to compare it with")
		return
	}
	e.keying(s)
	refused := 0
	for _, n := range s.Refused {
		refused += n
	}
	if refused == 0 {
		e.add(OK, check, "", "the first %d records fit", s.Records)
		return
	}
	grade := Warning
	if refused == s.Records {
		grade = Failed
	}
	for _, r := range slices.SortedFunc(maps.Keys(s.Refused), func(a, b dataset.Refusal) int {
		return cmp.Or(cmp.Compare(s.Refused[b], s.Refused[a]), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Attribute, b.Attribute))
	}) {
		where := ""
		if r.Attribute != "" {
			where = " in " + r.Attribute
		}
		e.add(grade, check, "correct schema.attributes or the producer; docs/RUN.md lists the reasons",
			"%d of the first %d records would be refused: %s%s", s.Refused[r], s.Records, r.Reason, where)
	}
}

// keying says whether the records of a shard are where the keys of their people lead.
func (e *examination) keying(s *dataset.Sample) {
	switch {
	case !e.Config.Shard.Set():
	case s.Misplaced == 0:
		e.add(OK, "shard", "", "shard %d of %d: the first %d records are where their keys lead", e.Config.Shard.Index, e.Config.Shard.Of,
			s.Records)
	default:
		e.add(Failed, "shard", fault.Hint(s.Keying), "%d of the first %d records are in the wrong partition or have the wrong key: %v",
			s.Misplaced, s.Records, s.Keying)
	}
}
