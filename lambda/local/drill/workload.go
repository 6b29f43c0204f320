package drill

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// workload is a function with a queue in a drill: what is laid before it, and what is particular
// about its rows. All else is the same for each.
type workload struct {
	manifest.Function
	workers int // concurrent invocations
	portion int // things under a fault, at least
	inTurn  int // rows that wait for each other, at most; 0: one

	// In the database:
	about    string   // the column with the object of a question, such as the document
	contents []string // columns that only a claim may write
	effects  []effect
	results  string // query for the results; see result
	found    string // the results in a word

	moves  [][2]string // further legal transitions
	env    func(*line) []string
	supply func(p *papers, documents int) []thing
	// publish lays things before the function. A repetition must change nothing.
	publish func(*line, context.Context, []uuid.UUID) error
	checks  []check
}

// effect is a table with results. The column owner has the id of the row with the claim that may
// write; without one, the transaction that ends a row writes.
type effect struct{ relation, owner string }

// thing is a document, file, contract or tenant to lay before a function.
type thing struct {
	id   uuid.UUID
	asks bool // the function asks a model about it
}

// workloads are all workloads, each after those it publishes to.
func workloads() []*workload { return []*workload{matching(), reading(), reviewing(), offering()} }

// Workloads returns the names of all workloads.
func Workloads() (names []string) {
	for _, w := range workloads() {
		names = append(names, w.Name)
	}
	return names
}

// chooseWorkloads returns the named workloads, or all, with those they publish to.
func chooseWorkloads(names []string) (chosen []*workload, err error) {
	for _, name := range names {
		if !slices.Contains(Workloads(), name) {
			return nil, fmt.Errorf("unknown workload %q: must be one of %s", name, strings.Join(Workloads(), ", "))
		}
	}
	for _, w := range slices.Backward(workloads()) {
		needed := slices.ContainsFunc(chosen, func(c *workload) bool { return c.PublishesTo == w.Name })
		if len(names) == 0 || needed || slices.Contains(names, w.Name) {
			chosen = append(chosen, w)
		}
	}
	slices.Reverse(chosen)
	return chosen, nil
}
