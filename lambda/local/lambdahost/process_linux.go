package lambdahost

import (
	"fmt"
	"os"
	"syscall"
)

// processAttributes puts a process into a group of its own, so that it can be
// killed with its children and Ctrl-C in a terminal does not reach it, and
// makes the kernel kill it when this program dies without a chance to.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// residentMemory is how many bytes of memory a process holds; 0 when it has ended.
func residentMemory(pid int) int {
	statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, resident int // in pages
	_, _ = fmt.Sscan(string(statm), &size, &resident)
	return resident * os.Getpagesize()
}
