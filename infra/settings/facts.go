package settings

import (
	"cmp"
	"errors"
	"time"

	"matchbook/lambda/manifest"
)

// Facts is the stack's part of the manifest. It's a value, so that a test can change a fact
// and see it in the template.
type Facts struct {
	Functions []manifest.Function // fed by queues
	Sweep     manifest.Task
	Schedule  manifest.Task // of match offers
	Migrate   manifest.Task
	Web       manifest.Task // only with Config.ReviewURL
	Console   manifest.Task // only with Config.Console
}

// ManifestFacts returns the facts of lambda/manifest.
func ManifestFacts() Facts {
	return Facts{Functions: manifest.Functions(), Sweep: manifest.Sweep, Schedule: manifest.Schedule,
		Migrate: manifest.Migrate, Web: manifest.Web, Console: manifest.Console}
}

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

// Validate returns an error with all contradictions between facts and settings. Read checks the
// settings alone; a malformed number of connections, which it reports, is ignored here.
func (f Facts) Validate(c Config) error {
	err := manifest.Validate(f.Functions, f.tasks(c))
	if c.DatabaseConnections > 0 {
		err = errors.Join(err, manifest.CheckConnections(c.DatabaseConnections, f.Functions, f.tasks(c)))
	}
	return err
}

// RowOf returns the noun for a row of the function's table.
func RowOf(f manifest.Function) string { return cmp.Or(f.Subject, "row") }

// Row returns the noun for a row of any table. Use it in texts about all workloads.
func (f Facts) Row() string {
	if len(f.Functions) == 1 {
		return RowOf(f.Functions[0])
	}
	return RowOf(manifest.Function{})
}

// Packages returns the main packages of the stack's functions, by name.
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

// Visibility returns the longest visibility timeout of the swept queues.
func (f Facts) Visibility() (longest time.Duration) {
	for _, function := range f.Functions {
		if !function.Rowless {
			longest = max(longest, function.Visibility())
		}
	}
	return longest
}
