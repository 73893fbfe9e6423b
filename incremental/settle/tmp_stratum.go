// Package settle: see settle-state.
package settle

import (
	"strconv"
	"strings"
)

type Stratum uint8

const Plain Stratum = 1

func (s Stratum) Inserts() int  { return int(s & 15) }
func (s Stratum) Faulty() bool  { return s&16 != 0 }
func (s Stratum) Updated() bool { return s&32 != 0 }
func (s Stratum) Older() bool   { return s&64 != 0 }

func (s Stratum) String() string {
	var parts []string
	if n := s.Inserts(); n > 1 {
		parts = append(parts, strconv.Itoa(n))
	}
	for i, is := range []bool{s.Faulty(), s.Updated(), s.Older()} {
		if is {
			parts = append(parts, []string{"fault", "updated", "older"}[i])
		}
	}
	if len(parts) == 0 {
		return "plain"
	}
	return strings.Join(parts, "+")
}
