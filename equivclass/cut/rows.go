package cut

import (
	"anond/equivclass"
)

// Identity returns the numbers 0 to n-1.
func Identity(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// Gather returns the values of rows.
func Gather(column []equivclass.Code, rows []int32) []equivclass.Code {
	out := make([]equivclass.Code, len(rows))
	for i, r := range rows {
		out[i] = column[r]
	}
	return out
}
