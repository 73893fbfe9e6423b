package boltstore_test

import "fmt"

// holderText is what an error says about the process that holds the state.
func holderText(pid int) string { return fmt.Sprint("pid ", pid) }
