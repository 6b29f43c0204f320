package matches_test

import (
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestPoolerMatches(t *testing.T) {
	t.Parallel()
	f := with(postgrestest.Through(t, postgrestest.ByPooler(t)))
	f.lamps()
	must.OK(t, f.says(num(1), num(2), "confirmed"))
	f.wantEdges("matched, and one confirmed", "1-2 person", "", "1 1 0")
	if _, err := f.Near(t.Context(), num(1), key("k"), document.Types); err != nil {
		t.Errorf("near: %v", err)
	}
	if _, err := f.Ranked(t.Context(), []uuid.UUID{num(1), num(2)}, 10); err != nil {
		t.Errorf("ranked: %v", err)
	}
	f.WantPooled()
}

// I13 through a pooler, under load.
func TestPoolerConcurrent(t *testing.T) {
	t.Parallel()
	way, address := postgrestest.ByPooler(t), postgrestest.URL(t)
	matchAtOnce(t, address, testenv.Size(1, 20), postgrestest.Open(t, way(address)), postgrestest.Open(t, way(address)))
}

func TestMatchesInBothModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"cache_statement", "cache_describe"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := with(postgrestest.Through(t, func(address string) string { return postgrestest.Setting(t, address, "default_query_exec_mode", mode) }))
			f.lamps()
			f.wantEdges("matched", "", "1-2 rules, 1-3 rules", "0 0 0")
		})
	}
}
