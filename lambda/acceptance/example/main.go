// Command example is a complete example of a workload: a manifest row, a table, a store with
// one write, the work, and this main. The tests run it in the local stack; it is never
// deployed. Use it as a template.
package main

import (
	"matchbook/lambda/job"
	"matchbook/lambda/setup"
)

func main() { lamps.Main(work) }

// work returns a function to create an invocation's work.
func work(setup.Config) func(setup.Opened) job.Work {
	return func(o setup.Opened) job.Work { return job.Each(lamp{store{o.Jobs}}.Light) }
}
