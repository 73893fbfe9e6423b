//go:build race

package equivclass

import "time"

// wangSecond is the second that a partitioner may take; the race detector makes
// everything ten times slower.
const wangSecond = 15 * time.Second
