// Command example is an example of a workload, whole: a row like those of the manifest, a table, a store
// with one write, the work, and this main. The tests beside it run it in the local stack; nothing
// deploys it.
package main

import (
	"matchbook/lambda/job"
	"matchbook/lambda/setup"
)

func main() { lamps.Main(work) }

// work returns the maker of an invocation's work.
func work(setup.Config) func(setup.Opened) job.Work {
	return func(o setup.Opened) job.Work { return lamp{store{o.Jobs}}.Light }
}
