package lambdahost

import "syscall"

// processAttributes puts a process into a new group, so that it can be killed together with
// its children and Ctrl-C in a terminal doesn't reach it. The kernel kills it if this program
// dies without cleaning up.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
