package kafkatest

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel end a child when this process ends, however it ends:
// a suite that times out must not leave a broker behind.
func dieWithUs(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
