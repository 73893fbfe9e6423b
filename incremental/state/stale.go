package state

// Stale are the published people of whom the source has sent an update or a delete since: what was published of them may
// not be what the source has now, and it never changes (rule N, insert-only). They are known by their record, which stays in its
// class also when the person is forgotten, in the order in which the first such message came; a second one changes nothing. A
// release says of each bucket how many of its people they are.
//
// Claim. Rule B (buckets) and Theorem E go on to hold, also if who sends updates follows from the value. Proof. Which messages are counted
// follows from arrivals, and from which people were published by then. What is shown of them is a number for each bucket: exchanging
// the whole histories of two people of a bucket, what they have and what they send, leaves it as it is, together with the bag of
// the bucket (Theorem G, theory of erasure, with the number of messages in the place of that of requests).  QED
//
// By class it would not hold: the classes of a bucket whose numbers differ tell which of them has the value that sends updates
// (TestStaleByClassTells). Whose messages came when is not shown, and is known to whoever reads the source: then what the theorem
// says is that of a known list, that asking must not follow from the value (docs/THREAT_MODEL.md).
//
// Cost: 4 bytes a person who sends, and some 20 to find them; a map of the buckets for a release.
type Stale struct {
	List  []RecordID
	known map[RecordID]bool
	kept  int // of the list: committed
}

// Add takes in the record of somebody who is published, and reports whether it is new.
func (s *Stale) Add(r RecordID) bool {
	if s.known[r] {
		return false
	}
	if s.known == nil {
		s.known = map[RecordID]bool{}
	}
	s.known[r] = true
	s.List = append(s.List, r)
	return true
}

// Load takes in what a store has.
func (s *Stale) Load(list []RecordID) error {
	for _, r := range list {
		s.Add(r)
	}
	s.kept = len(s.List)
	return nil
}

// Staged are those whom no commit has yet.
func (s *Stale) Staged() []RecordID { return s.List[s.kept:] }

// Committed notes that the store has all.
func (s *Stale) Committed() { s.kept = len(s.List) }

// Requests is how many people of each bucket were forgotten that is in the newest release. It changes with releases, and with a state
// that is opened anew after it has forgotten. Cost: a look at each class, once.
func (s *State) Requests() map[uint32]int {
	if n := s.History.Releases(); s.requests == nil || s.requestsAt != n {
		s.requests, s.requestsAt = s.History.Requests(&s.Records, s.History.Expired()), n
	}
	return s.requests
}

// StaleBuckets says how many people of each bucket were stale when a release was decided; nil: nobody.
func (s *State) StaleBuckets(i *Intent) map[BucketID]int {
	if i.Stale == 0 {
		return nil
	}
	out := map[BucketID]int{}
	for _, r := range s.Stale.List[:i.Stale] {
		if c := s.History.Classes[s.Records.ClassOf[r]]; c.Born > i.Expired && (c.Died == 0 || c.Died > i.Release) {
			out[c.Bucket]++
		}
	}
	return out
}
