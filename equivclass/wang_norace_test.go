//go:build !race

package equivclass

import "time"

// wangSecond is the second that a partitioner may take on Adult.
const wangSecond = time.Second
