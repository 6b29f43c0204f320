//go:build unix && !linux

package lambdahost

import "syscall"

// processAttributes puts a process into a group of its own, so that it can be
// killed with its children and Ctrl-C in a terminal does not reach it. Without a
// parent-death signal, which only Linux has, a process whose host was killed ends
// by itself when its next call of the Runtime API is refused.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
