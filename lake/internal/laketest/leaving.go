package laketest

import (
	"fmt"
	"strings"
	"testing"

	"anond/snapshot/snapshottest"
)

// Leaving writes releases up to a number of a chain from which rows leave: in the fourth the part of the first release expires,
// in the fifth the others are joined, in the sixth a bucket of them leaves, in the seventh all that there was before.
func Leaving(t testing.TB, disk *snapshottest.Disk, upTo uint32) {
	parts, sha := map[string]string{}, ""
	const header = "age,class,bucket\n"
	rows := func(n, first uint32) string {
		return fmt.Sprintf("%d,%d,%d\n%d,%d,%d\n", n, first, first, n, first+1, first+1)
	}
	for n := uint32(1); n <= upTo; n++ {
		parts[fmt.Sprintf("part-%06d", n)] = header + rows(n, 1)
		expired := uint32(0)
		switch n {
		case 4:
			delete(parts, "part-000001")
		case 5:
			parts["part-000002-000003"] = header + rows(2, 1) + rows(3, 3)
			delete(parts, "part-000002")
			delete(parts, "part-000003")
		case 6:
			parts["part-000002-000003"] = strings.Replace(parts["part-000002-000003"], "3,3,3\n", "", 1)
		case 7:
			clear(parts)
		}
		if n >= 4 {
			expired = 1
		}
		if n == 7 {
			expired = 6
		}
		sha = Release{Number: n, Quasi: "age", Parts: parts, Window: true, Expired: expired}.Put(t, disk, sha)
	}
}
