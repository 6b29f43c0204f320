package manifest

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Validate checks every row of the lists, and that no two have the same name.
// The error has a sentence for each problem.
func Validate(functions []Function, tasks []Task) error {
	var errs []error
	taken := map[string]bool{}
	note := func(name string, err error) {
		errs = append(errs, err)
		if taken[name] {
			errs = append(errs, fmt.Errorf("%s: two functions have this name, and their resources would as well", name))
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

// Validate checks which settings cannot work together. The error has a
// sentence for each problem.
func (f Function) Validate() error {
	errs := limits(f.Name, f.Package, f.Timeout, f.MemoryMB, f.PoolSize)
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(f.Name+": "+format, args...))
		}
	}
	wrong(len(f.Retries) == 0, "no retry: a message that meets a passing failure would be given up at once")
	longest := time.Duration(f.MaxReceiveCount()) * f.Visibility()
	for _, r := range f.Retries {
		longest += r
		wrong(r < 0, "a retry after %s: it cannot be in the past", r)
		wrong(r > MaxVisibility-f.Timeout, "a retry after %s and an invocation of %s exceed the %s of SQS",
			r, f.Timeout, MaxVisibility)
	}
	wrong(f.BatchSize < 1 || f.BatchSize > MaxBatchSize, "batch size %d is not between 1 and %d", f.BatchSize, MaxBatchSize)
	wrong(f.MaxConcurrency < 2 || f.MaxConcurrency > 1000,
		"maximum concurrency %d is not between 2 and 1000, the limits of an event source mapping", f.MaxConcurrency)
	wrong(f.Visibility() <= f.Timeout+LeaseMargin,
		"messages come back after %s, before a claim of %s has ended", f.Visibility(), f.Timeout+LeaseMargin)
	wrong(f.Visibility() > MaxVisibility,
		"a visibility of %s, six times the timeout, exceeds the %s of SQS", f.Visibility(), MaxVisibility)
	wrong(f.Alarms.SlowWork >= f.Timeout && f.Alarms.SlowWork > 0,
		"an alarm on work of %s never goes off: an invocation ends after %s", f.Alarms.SlowWork, f.Timeout)
	wrong(longest > QueueRetention, "%d deliveries may take %s, and the queue drops a message after %s",
		f.MaxReceiveCount(), longest, QueueRetention)
	return errors.Join(errs...)
}

// Validate checks the settings. The error has a sentence for each problem.
func (t Task) Validate() error {
	errs := limits(t.Name, t.Package, t.Timeout, t.MemoryMB, t.PoolSize)
	if t.Every%time.Minute != 0 || t.Every > 0 && t.Timeout >= t.Every {
		errs = append(errs, fmt.Errorf("%s: a period of %s is no number of minutes, or two would run at once", t.Name, t.Every))
	}
	return errors.Join(errs...)
}

// limits checks what holds for every function.
func limits(name, pkg string, timeout time.Duration, memoryMB, pool int) (errs []error) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(name+": "+format, args...))
		}
	}
	wrong(name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "",
		"the name %q is not one of lower-case letters", name)
	wrong(pkg == "", "no main package: name the one that it is built from")
	wrong(timeout < time.Second || timeout > MaxTimeout || timeout%time.Second != 0,
		"a timeout of %s is not a number of seconds from 1 to the %s of Lambda", timeout, MaxTimeout)
	wrong(memoryMB < 128 || memoryMB > 10240,
		"%d MB of memory are not between 128 and 10240, the limits of Lambda", memoryMB)
	wrong(pool < 1, "a pool of %d connections: it needs one at least", pool)
	return errs
}

// Connections returns how many connections the functions open to the database
// when all of them are as busy as they may be.
func Connections(functions []Function, tasks []Task) (n int) {
	for _, f := range functions {
		n += f.Connections()
	}
	for _, t := range tasks {
		n += t.Connections()
	}
	return n
}

// CheckConnections fails when the functions may open more connections than
// budget. The error names each function's share.
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
	return fmt.Errorf("the functions may open %d connections (%s) and the database has %d for them: "+
		"lower MaxConcurrency or PoolSize in the manifest, or raise the budget",
		need, strings.Join(parts, ", "), budget)
}
