package boltstore

// leastStep is the least step in which a file grows.
const leastStep = 4 << 10

// stepOf is the step in which a file with a limit grows: small next to the limit, since
// bbolt takes no new page unless a whole step still fits.
func stepOf(limit int64) int {
	if limit <= 0 {
		return allocSize
	}
	return int(max(leastStep, min(allocSize, limit/64)))
}

// SetMaxBytes changes Options.MaxBytes from the next commit on. Safe for concurrent use.
func (s *Store) SetMaxBytes(n int64) { s.limit.Store(n) }

// MaxBytes is the limit of the file, 0: the disk's. Safe for concurrent use.
func (s *Store) MaxBytes() int64 { return s.limit.Load() }

// heedLimit gives bbolt the limit for the next transaction. Nothing may be written meanwhile.
func (s *Store) heedLimit() {
	n := s.limit.Load()
	s.db.MaxSize, s.db.AllocSize = int(n), stepOf(n)
}

// Room is how many bytes of pages the limit leaves, negative if there are too many;
// limited is false if there is no limit. Safe for concurrent use, and without a look at
// the disk.
//
// It is an upper bound: a value that is larger than a page needs neighbouring ones, and
// free pages may be scattered. Pages that a reader still sees (a backup) count as used.
func (s *Store) Room() (left int64, limited bool) {
	limit := s.limit.Load()
	if limit <= 0 {
		return 0, false
	}
	size, page, err := s.pages()
	if err != nil {
		return 0, true // closed
	}
	stats := s.db.Stats()
	free := int64(stats.FreePageN)
	if stats.OpenTxN == 0 {
		free += int64(stats.PendingPageN)
	}
	return limit - int64(stepOf(limit)) - page - (size - free*page), true
}
