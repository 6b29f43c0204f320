package manifest

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Validate says what cannot work together, all of it, a sentence each.
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
		wrong(r > MaxVisibility-f.Timeout, "a retry after %s and an invocation of %s exceed the %s of SQS", r, f.Timeout, MaxVisibility)
	}
	wrong(f.BatchSize < 1 || f.BatchSize > 10, "batch size %d is not between 1 and 10", f.BatchSize)
	wrong(f.MaxConcurrency < 2 || f.MaxConcurrency > 1000, "maximum concurrency %d is not between 2 and 1000, the limits of an event source mapping", f.MaxConcurrency)
	wrong(f.Visibility() <= f.Timeout+LeaseMargin, "messages come back after %s, before a claim of %s has ended", f.Visibility(), f.Timeout+LeaseMargin)
	wrong(f.Visibility() > MaxVisibility, "a visibility of %s, six times the timeout, exceeds the %s of SQS", f.Visibility(), MaxVisibility)
	wrong(longest > QueueRetention, "%d deliveries may take %s, and the queue drops a message after %s", f.MaxReceiveCount(), longest, QueueRetention)
	return errors.Join(errs...)
}

// Validate says what cannot work together, all of it, a sentence each.
func (t Task) Validate() error {
	return errors.Join(limits(t.Name, t.Package, t.Timeout, t.MemoryMB, t.PoolSize)...)
}

// limits are those of every function.
func limits(name, pkg string, timeout time.Duration, memoryMB, pool int) (errs []error) {
	for _, c := range []struct {
		wrong bool
		what  string
	}{
		{name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "", fmt.Sprintf("the name %q is not one of lower-case letters", name)},
		{pkg == "", "no main package: name the one that it is built from"},
		{timeout < time.Second || timeout > MaxTimeout || timeout%time.Second != 0, fmt.Sprintf("a timeout of %s is not a number of seconds from 1 to the %s of Lambda", timeout, MaxTimeout)},
		{memoryMB < 128 || memoryMB > 10240, fmt.Sprintf("%d MB of memory are not between 128 and 10240, the limits of Lambda", memoryMB)},
		{pool < 1, fmt.Sprintf("a pool of %d connections: it needs one at least", pool)},
	} {
		if c.wrong {
			errs = append(errs, fmt.Errorf("%s: %s", name, c.what))
		}
	}
	return errs
}

// Connections is how many the functions open to the database when all of them
// are as busy as they may be.
func Connections(functions []Function, tasks []Task) (n int) {
	for _, f := range functions {
		n += f.MaxConcurrency * f.PoolSize
	}
	for _, t := range tasks {
		n += t.PoolSize
	}
	return n
}

// CheckConnections says when a database of so many connections is too small.
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
		parts = append(parts, fmt.Sprintf("%s %d", t.Name, t.PoolSize))
	}
	return fmt.Errorf("the functions may open %d connections (%s) and the database has %d for them: lower MaxConcurrency or PoolSize in the manifest, or raise the budget",
		need, strings.Join(parts, ", "), budget)
}
