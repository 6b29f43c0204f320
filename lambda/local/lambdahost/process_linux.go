package lambdahost

import "syscall"

// processAttributes puts a process into a group of its own, so that it can be
// killed with its children and Ctrl-C in a terminal does not reach it, and
// makes the kernel kill it when this program dies without a chance to.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
