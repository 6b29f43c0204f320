//go:build unix && !linux

package lambdahost

import "syscall"

// processAttributes puts a process into a new group, so that it can be killed together with
// its children and Ctrl-C in a terminal doesn't reach it. Only Linux has a parent-death
// signal; elsewhere an orphaned process exits when its next Runtime API call is refused.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
