package boltstore

import (
	"fmt"
)

// BucketSize is how much one bucket holds. Of the dictionary neither is known: a new entry
// would tell of the values of those who wait. The bytes of records would, too, since codes
// are packed in as few bits as the largest needs.
type BucketSize struct {
	Name  string `json:"bucket"`
	Keys  *int64 `json:"keys,omitempty"`
	Bytes *int64 `json:"bytes,omitempty"` // of its pages
}

// Buckets says what the file has. Cost: a look at each page.
func (s *Store) Buckets() (out []BucketSize, err error) {
	err = guarded(func() error {
		return s.view(func(tx *transaction) error {
			for _, b := range allBuckets {
				x := tx.Bucket(b.name)
				n := BucketSize{Name: string(b.name)}
				stats := x.Stats()
				keys, bytes := int64(stats.KeyN), int64(stats.BranchAlloc+stats.LeafAlloc)
				if b != inDictionary {
					n.Keys = &keys
				}
				if b != inDictionary && b != inRecords {
					n.Bytes = &bytes
				}
				out = append(out, n)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", s.path, err)
	}
	return out, nil
}
