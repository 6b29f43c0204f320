package postgrestest

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Plan is the plan of a statement that ran, with its measurements.
type Plan struct {
	Root   node    `json:"Plan"`
	Millis float64 `json:"Execution Time"`
}

type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Removed  float64 `json:"Rows Removed by Filter"`
	Rechecks float64 `json:"Rows Removed by Index Recheck"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []node  `json:"Plans"`
}

// Explain runs a statement and returns its plan.
func Explain(t testing.TB, conn *pgx.Conn, sql string, args ...any) Plan {
	t.Helper()
	return Value[[]Plan](t, conn, "EXPLAIN (ANALYZE, FORMAT JSON) "+sql, args...)[0]
}

func (n node) all() []node {
	list := []node{n}
	for _, p := range n.Plans {
		list = append(list, p.all()...)
	}
	return list
}

// WantIndexed fails the test unless the plan uses these indexes and scans no table.
func (p Plan) WantIndexed(t testing.TB, indexes ...string) {
	t.Helper()
	for _, n := range p.Root.all() {
		if n.Type == "Seq Scan" && n.Relation != "" {
			t.Errorf("plan has a sequential scan on %s", n.Relation)
		}
		indexes = slices.DeleteFunc(indexes, func(index string) bool { return index == n.Index })
	}
	if len(indexes) > 0 {
		t.Errorf("unused: %v", indexes)
	}
}

// Fetched returns the number of rows read of a table, used or not.
func (p Plan) Fetched(relation string) (rows float64) {
	for _, n := range p.Root.all() {
		if n.Relation == relation {
			rows += (n.Rows + n.Removed + n.Rechecks) * n.Loops
		}
	}
	return rows
}
