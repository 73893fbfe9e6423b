//go:build !linux

package kafkatest

import "os/exec"

// dieWithUs is for Linux; elsewhere children end only when a suite ends in order.
func dieWithUs(*exec.Cmd) {}
