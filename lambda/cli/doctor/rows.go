package doctor

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/manifest"
)

// rows are the manifest's functions. It must not be empty.
type rows []manifest.Function

// of returns the row of a deployed function by the end of its name, such as
// matchbook-dev-match. Unknown names get the first row.
func (r rows) of(name string) (found manifest.Function) {
	name = nameOf(name)
	for _, f := range r {
		if strings.HasSuffix(name, f.Name) && len(f.Name) > len(found.Name) {
			found = f
		}
	}
	if found.Name == "" && len(r) > 0 {
		return r[0]
	}
	return found
}

// nameOf normalizes a function's name, so that its end is a row's name.
func nameOf(name string) string { return strings.TrimSuffix(strings.ToLower(name), "function") }

// publishedBy returns the rows with a queue in the variables.
func (r rows) publishedBy(env variables) (list rows) {
	for _, f := range r {
		if env.has(f.QueueEnv()) {
			list = append(list, f)
		}
	}
	return list
}

// unswept returns the workloads left out by the sweep, because it has no such queue. If it
// has none at all, its variables are unknown.
func unswept(sweep function, lines []line) (results []result) {
	for _, l := range lines {
		sent := slices.ContainsFunc(sweep.sends, func(to destination) bool { return to.row.Name == l.row.Name })
		if sent || l.row.Rowless || len(sweep.sends) == 0 {
			continue
		}
		name, do := l.row.QueueEnv(), "Set %s of %s to the URL of the %s function's queue."
		results = append(results, wrong(sweep.name, fmt.Sprintf(do, name, sweep.name, l.row.Name),
			"%s is not set, so that lost messages of %s stay lost", name, l.row.Name))
	}
	return results
}
