package main

import (
	"errors"
	"time"

	"matchbook/lambda/manifest"
)

// facts are what the stack takes from the manifest. They are a value, so that
// a test can see each of them arrive in the template.
type facts struct {
	Match      manifest.Function
	Sweep      manifest.Task
	Migrate    manifest.Task
	SweepEvery time.Duration
}

func manifestFacts() facts {
	return facts{Match: manifest.Match, Sweep: manifest.Sweep, Migrate: manifest.Migrate, SweepEvery: manifest.SweepEvery}
}

// validate says what cannot work together, all of it.
func (f facts) validate(c config) error {
	functions, tasks := []manifest.Function{f.Match}, []manifest.Task{f.Sweep, f.Migrate}
	var errs []error
	for _, function := range functions {
		errs = append(errs, function.Validate())
	}
	for _, task := range tasks {
		errs = append(errs, task.Validate())
	}
	return errors.Join(append(errs, manifest.CheckConnections(c.DatabaseConnections, functions, tasks))...)
}

// packages are the main packages of the functions, by name.
func (f facts) packages() map[string]string {
	return map[string]string{f.Match.Name: f.Match.Package, f.Sweep.Name: f.Sweep.Package, f.Migrate.Name: f.Migrate.Package}
}
