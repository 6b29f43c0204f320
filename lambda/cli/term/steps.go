package term

import (
	"fmt"
	"io"
	"time"
)

// patience is the silence after which the user of a program needs a sign of life.
const patience = 2 * time.Second

// Steps prints the name of the current step on out as often as two seconds
// have passed: a short run prints nothing. Call done at the end.
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
