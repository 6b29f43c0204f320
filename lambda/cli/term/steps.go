package term

import (
	"fmt"
	"io"
	"time"
)

// patience is the longest silence before a sign of life.
const patience = 2 * time.Second

// Steps prints the name of the current step every two seconds, so a short run prints
// nothing. The caller must call done at the end.
func Steps(out io.Writer) (step func(name string), done func()) {
	steps, ended := make(chan string), make(chan struct{})
	go func() {
		defer close(ended)
		name, tick := "", time.NewTicker(patience)
		defer tick.Stop()
		for open := true; open; {
			select {
			case <-tick.C:
				fmt.Fprintf(out, "%s ...\n", name)
			case name, open = <-steps:
			}
		}
	}()
	return func(name string) { steps <- name }, func() { close(steps); <-ended }
}
