package settings

import (
	"cmp"
	"errors"
	"time"

	"matchbook/lambda/manifest"
)

// Facts are the stack's part of the manifest. They are a value, so that a test
// can see each of them arrive in the template.
type Facts struct {
	Functions []manifest.Function // that queues feed
	Sweep     manifest.Task
	Schedule  manifest.Task // of match offers
	Migrate   manifest.Task
	Web       manifest.Task // where Config.ReviewURL asks for it
	Console   manifest.Task // where Config.Console asks for it
}

// ManifestFacts returns the facts of lambda/manifest.
func ManifestFacts() Facts {
	return Facts{Functions: manifest.Functions(), Sweep: manifest.Sweep, Schedule: manifest.Schedule,
		Migrate: manifest.Migrate, Web: manifest.Web, Console: manifest.Console}
}

// tasks returns the functions of the stack that no queue feeds.
func (f Facts) tasks(c Config) []manifest.Task {
	list := []manifest.Task{f.Sweep, f.Migrate, f.Schedule}
	if c.ReviewURL {
		list = append(list, f.Web)
	}
	if c.HasConsole() {
		list = append(list, f.Console)
	}
	return list
}

// Validate returns an error with all contradictions.
func (f Facts) Validate(c Config) error {
	return errors.Join(manifest.Validate(f.Functions, f.tasks(c)),
		manifest.CheckConnections(c.DatabaseConnections, f.Functions, f.tasks(c)))
}

// RowOf returns the word for a row of the function's table.
func RowOf(f manifest.Function) string { return cmp.Or(f.Subject, "row") }

// Row returns the word for a row of any table, in a text about all workloads.
func (f Facts) Row() string {
	if len(f.Functions) == 1 {
		return RowOf(f.Functions[0])
	}
	return RowOf(manifest.Function{})
}

// Packages are the main packages of the stack's functions, by name.
func (f Facts) Packages(c Config) map[string]string {
	list := map[string]string{}
	for _, function := range f.Functions {
		list[function.Name] = function.Package
	}
	for _, task := range f.tasks(c) {
		list[task.Name] = task.Package
	}
	return list
}

// Visibility returns the longest of the queues whose rows are swept.
func (f Facts) Visibility() (longest time.Duration) {
	for _, function := range f.Functions {
		if !function.Rowless {
			longest = max(longest, function.Visibility())
		}
	}
	return longest
}
