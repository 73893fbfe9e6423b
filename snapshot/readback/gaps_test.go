package readback

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

// TestBucketsThatLeftAreGaps: a part whose first, middle and last buckets have left is read: the numbers of those that stay do not change.
func TestBucketsThatLeftAreGaps(t *testing.T) {
	files := map[string][]byte{
		"data.csv":    []byte("age,sex,class,bucket\n3,F,2,2\n5,F,2,2\n7,M,5,4\n8,M,5,4\n"),
		"values.csv":  []byte("bucket,attribute,value,count\n2,disease,flu,1\n2,disease,cold,1\n4,disease,flu,1\n4,disease,gout,1\n"),
		"buckets.csv": []byte("bucket,pool,people\n2,1,2\n4,2,2\n"),
	}
	load := func(data string) (*Release, error) {
		files["data.csv"] = []byte(data)
		r := fuzzRelease(t, snapshot.NameAnatomy, files)
		r.Manifest.Policy.Level, r.Manifest.Classes, r.Manifest.Buckets = "L2", 2, 2
		r.Manifest.Parts[0].Classes = 6
		return r, r.Load(nil)
	}
	r, err := load("age,sex,class,bucket\n3,F,2,2\n5,F,2,2\n7,M,5,4\n8,M,5,4\n")
	require.NoError(t, err)
	a, _, err := r.Ask("count where sex = M and disease = gout")
	require.NoError(t, err)
	assert.InDelta(t, 1, a.Estimate, 1e-9)
	for _, bad := range []string{
		"age,sex,class,bucket\n3,F,2,2\n5,F,2,2\n7,M,5,3\n8,M,5,3\n", // no such bucket
		"age,sex,class,bucket\n3,F,2,2\n5,F,2,2\n7,M,1,4\n8,M,1,4\n", // numbers of classes ascend
		"age,sex,class,bucket\n3,F,2,2\n5,F,2,2\n7,M,7,4\n8,M,7,4\n", // more classes than the part ever had
	} {
		_, err = load(bad)
		require.ErrorIs(t, err, snapshot.ErrDamaged)
	}
}
