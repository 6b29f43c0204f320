package main

import (
	"cmp"
	"errors"
	"time"

	"matchbook/lambda/manifest"
)

// facts are the stack's part of the manifest. They are a value, so that a test
// can see each of them arrive in the template.
type facts struct {
	Functions  []manifest.Function // that queues feed
	Sweep      manifest.Task
	Migrate    manifest.Task
	SweepEvery time.Duration
}

func manifestFacts() facts {
	return facts{Functions: manifest.Functions(), Sweep: manifest.Sweep, Migrate: manifest.Migrate,
		SweepEvery: manifest.SweepEvery}
}

func (f facts) tasks() []manifest.Task { return []manifest.Task{f.Sweep, f.Migrate} }

// validate returns an error with all contradictions.
func (f facts) validate(c config) error {
	return errors.Join(manifest.Validate(f.Functions, f.tasks()),
		manifest.CheckConnections(c.DatabaseConnections, f.Functions, f.tasks()))
}

// rowOf returns the word for a row of the function's table.
func rowOf(f manifest.Function) string { return cmp.Or(f.Subject, "row") }

// row returns the word for a row of any table, in a text about all workloads.
func (f facts) row() string {
	if len(f.Functions) == 1 {
		return rowOf(f.Functions[0])
	}
	return rowOf(manifest.Function{})
}

// packages are the main packages of the functions, by name.
func (f facts) packages() map[string]string {
	list := map[string]string{}
	for _, function := range f.Functions {
		list[function.Name] = function.Package
	}
	for _, task := range f.tasks() {
		list[task.Name] = task.Package
	}
	return list
}

// visibility returns the longest of the queues whose rows are swept.
func (f facts) visibility() (longest time.Duration) {
	for _, function := range f.Functions {
		if !function.Rowless {
			longest = max(longest, function.Visibility())
		}
	}
	return longest
}
