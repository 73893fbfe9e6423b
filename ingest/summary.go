package ingest

import "anond/ingest/decode"

// summary counts what became of every line or message that was read.
func (l *loop) summary() []any {
	s, unread := l.Machine.Status(), l.Source.Status().Unread
	ignored := uint64(0)
	for why, n := range s.Ignored {
		if why != decode.ReasonBlank && why != decode.ReasonHeaderLine && why != decode.ReasonContinued {
			ignored += n
		}
	}
	attrs := []any{"sent", s.Sent, "published", s.Published, "pending", s.Pending.Total(), "dead_letter", s.DeadLetter, "beyond", s.Beyond,
		"ignored", ignored, "header", s.Ignored[decode.ReasonHeaderLine], "blank", s.Ignored[decode.ReasonBlank], "continued",
		s.Ignored[decode.ReasonContinued],
		"unterminated", unread.Unterminated, "without_record", unread.WithoutRecord}
	if unread.SetAside > 0 {
		attrs = append(attrs, "files_set_aside", unread.SetAside)
	}
	return attrs
}
