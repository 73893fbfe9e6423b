package hierarchies

import (
	"fmt"
	"strconv"
)

// Intervals rolls a whole number up to aligned intervals of the widths, each a multiple of
// the one before: 37 with 10 and 50 to 30-39 and 0-49.
func Intervals(widths []int) (Kind, error) {
	for i, w := range widths {
		if w < 2 || i > 0 && (w <= widths[i-1] || w%widths[i-1] != 0) {
			return Kind{}, fmt.Errorf("the widths are %v: give numbers above 1, each a multiple of the one before, such as 5,10,50", widths)
		}
	}
	return Kind{Levels: func(code string) (out []string, _ error) {
		n, err := strconv.Atoi(code)
		if err != nil || n < -limit || n > limit || strconv.Itoa(n) != code {
			return nil, fmt.Errorf("%w: it is no whole number as it is usually written", errCode)
		}
		for _, w := range widths {
			low := n - ((n%w)+w)%w
			out = append(out, fmt.Sprintf("%d-%d", low, low+w-1))
		}
		return out, nil
	}}, nil
}

// limit keeps sums of numbers and widths far from overflow.
const limit = 1 << 53
