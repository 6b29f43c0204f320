package doctor

import (
	"strings"

	"matchbook/lambda/manifest"
)

// rows are the manifest's functions, of which there is one at least.
type rows []manifest.Function

// of finds the row of a function by its name in a stack, such as
// matchbook-dev-match: the name ends with the row's. A function of any other name is
// compared with the first row.
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

// nameOf returns the end of a function's name by which its row is found.
func nameOf(name string) string { return strings.TrimSuffix(strings.ToLower(name), "function") }

// publishedBy returns the rows with a queue that the variables name.
func (r rows) publishedBy(env variables) (list rows) {
	for _, f := range r {
		if env.has(f.QueueEnv()) {
			list = append(list, f)
		}
	}
	return list
}
