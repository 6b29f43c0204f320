package manifest

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Validate checks every row, and that no two rows have the same name. The error has a sentence
// for each problem.
func Validate(functions []Function, tasks []Task) error {
	var errs []error
	taken := map[string]bool{}
	note := func(name string, err error) {
		errs = append(errs, err)
		if taken[name] {
			errs = append(errs, fmt.Errorf("%s: duplicate name: its resources would clash", name))
		}
		taken[name] = true
	}
	for _, f := range functions {
		note(f.Name, f.Validate())
	}
	for _, t := range tasks {
		note(t.Name, t.Validate())
	}
	return errors.Join(errs...)
}

// Validate checks for settings that can't work together. The error has a sentence for each
// problem.
func (f Function) Validate() error {
	errs := limits(f.Name, f.Package, f.Timeout, f.MemoryMB, f.PoolSize)
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(f.Name+": "+format, args...))
		}
	}
	wrong(len(f.Retries) == 0, "missing retry: the first transient failure would be final")
	longest := time.Duration(f.MaxReceiveCount()) * f.Visibility()
	for _, r := range f.Retries {
		longest += r
		wrong(r < 0, "retry after %s: must not be negative", r)
		wrong(r > MaxVisibility-f.Timeout, "retry after %s plus an invocation of %s must not exceed the %s of SQS",
			r, f.Timeout, MaxVisibility)
	}
	wrong(f.BatchSize < 1 || f.BatchSize > MaxBatchSize, "batch size %d: must be between 1 and %d", f.BatchSize, MaxBatchSize)
	wrong(f.MaxConcurrency < 2 || f.MaxConcurrency > 1000,
		"maximum concurrency %d: must be between 2 and 1000, the limits of an event source mapping", f.MaxConcurrency)
	wrong(f.Visibility() <= f.Timeout+LeaseMargin,
		"visibility %s: must be longer than a claim of %s", f.Visibility(), f.Timeout+LeaseMargin)
	wrong(f.Visibility() > MaxVisibility,
		"visibility %s, six times the timeout: must not exceed the %s of SQS", f.Visibility(), MaxVisibility)
	wrong(f.Alarms.SlowWork >= f.Timeout && f.Alarms.SlowWork > 0,
		"alarm on work of %s: must be shorter than the invocation, %s", f.Alarms.SlowWork, f.Timeout)
	wrong(longest > QueueRetention, "%d deliveries may take %s, but the queue drops a message after %s",
		f.MaxReceiveCount(), longest, QueueRetention)
	return errors.Join(errs...)
}

// Validate checks the settings. The error has a sentence for each problem.
func (t Task) Validate() error {
	errs := limits(t.Name, t.Package, t.Timeout, t.MemoryMB, t.PoolSize)
	if t.Every%time.Minute != 0 || t.Every > 0 && t.Timeout >= t.Every {
		errs = append(errs, fmt.Errorf("%s: invalid period %s: expected whole minutes, longer than the timeout", t.Name, t.Every))
	}
	return errors.Join(errs...)
}

func limits(name, pkg string, timeout time.Duration, memoryMB, pool int) (errs []error) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(name+": "+format, args...))
		}
	}
	wrong(name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "",
		"invalid name %q: expected lower-case letters", name)
	wrong(pkg == "", "missing main package")
	wrong(timeout < time.Second || timeout > MaxTimeout || timeout%time.Second != 0,
		"invalid timeout %s: expected whole seconds from 1 to the %s of Lambda", timeout, MaxTimeout)
	wrong(memoryMB < 128 || memoryMB > 10240,
		"%d MB of memory: must be between 128 and 10240, the limits of Lambda", memoryMB)
	wrong(pool < 1, "pool of %d connections: must be at least 1", pool)
	return errs
}

// Connections returns the database connections of all functions under full load.
func Connections(functions []Function, tasks []Task) (n int) {
	for _, f := range functions {
		n += f.Connections()
	}
	for _, t := range tasks {
		n += t.Connections()
	}
	return n
}

// CheckConnections returns an error if the functions may open more connections than budget.
// The error names each function's share.
func CheckConnections(budget int, functions []Function, tasks []Task) error {
	need := Connections(functions, tasks)
	if need <= budget {
		return nil
	}
	var parts []string
	for _, f := range functions {
		parts = append(parts, fmt.Sprintf("%s %d x %d", f.Name, f.MaxConcurrency, f.PoolSize))
	}
	for _, t := range tasks {
		parts = append(parts, fmt.Sprintf("%s %d", t.Name, t.Connections()))
	}
	return fmt.Errorf("functions may open %d connections (%s) but the database has %d for them; "+
		"lower MaxConcurrency or PoolSize in the manifest, or raise the budget",
		need, strings.Join(parts, ", "), budget)
}
