package acceptance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
)

// Ten documents of 10 MB in one batch: none of them may be in the function's
// memory as a whole.
func TestLargeInputMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("reads the peak memory of a process from /proc, which only Linux has")
	}
	const limit = 80 << 20 // with all ten in memory it is 120 and more
	badge := "MATCHBOOK_TEST_BADGE=" + uuid.NewString()
	l := newBadLine(t, func(c *local.FunctionConfig) { c.Env = append(c.Env, badge, "GOMEMLIMIT=64MiB") })
	ids := []uuid.UUID{l.row(testTenant, "invoice", `{"notes":"`+strings.Repeat(marker, 10<<20/len(marker))+`"}`)}
	for len(ids) < 10 {
		id := uuid.New()
		l.exec("INSERT INTO document (id, tenant_id, type, structured_data) SELECT $1, tenant_id, type, structured_data FROM document WHERE id = $2", id, ids[0])
		ids = append(ids, id)
	}
	l.publish(ids...)
	l.drain(ids)
	for _, id := range ids {
		check(t, "document", l.status(id), "failed, 1 attempts, 1 notifications, structured data: must be at most 1048576 bytes")
	}
	peak := peakMemory(t, badge)
	t.Logf("peak memory %d MB", peak>>20)
	if peak > limit {
		t.Errorf("the function took %d MB, want at most %d MB", peak>>20, limit>>20)
	}
	l.finish(t, 10)
}

// Documents within the limits add up: a document's candidates are read into
// memory, for each of the ten of a batch.
func TestLargeCandidatesCutOff(t *testing.T) {
	t.Parallel()
	l := newBadLine(t, func(c *local.FunctionConfig) { c.NoMapping = true })
	const most = 8 << 20
	seeker := l.row(testTenant, "purchase-order", `{}`)
	l.exec("UPDATE document SET matching_status = 'in-progress', matching_attempts = 1, matching_lease_until = now() + interval '1 minute' WHERE id = $1", seeker)
	large := sized(document.MaxBytes)
	for range 12 {
		l.row(testTenant, "invoice", large)
	}
	l.exec("UPDATE document SET match_keys = '{a,b}' WHERE id <> $1", seeker)
	best := l.row(testTenant, "invoice", `{"number":"best"}`)
	l.exec("UPDATE document SET match_keys = '{a,b,c}' WHERE id = $1", best)
	draft := match.Draft{Fence: job.Attempt{ID: seeker, Number: 1}, Types: []document.Type{document.Invoice},
		Normalized: score.Normalized{Tenant: testTenant, Lookup: []string{"a", "b", "c"}}}
	block := must.Get(matches.New(l.DB).Candidates(t.Context(), []*match.Draft{&draft}))(t)[draft.Fence]
	read, found := 0, false
	for _, c := range block.Candidates {
		read += len(c.Data)
		found = found || c.ID == best
	}
	if read > most || len(block.Candidates) != 8 || !found {
		t.Errorf("%d candidates of %d bytes, the best of them: %v; want 8 of at most %d bytes, with the best",
			len(block.Candidates), read, found, most)
	}
}

// peakMemory is the most memory that the process with that variable in its
// environment ever had.
func peakMemory(t *testing.T, variable string) int {
	t.Helper()
	status := must.Get(os.ReadFile(filepath.Join(processWith(t, variable), "status")))(t)
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmHWM in\n%s", status)
	}
	kb := must.Get(strconv.Atoi(string(found[1])))(t)
	return kb << 10
}

// processWith returns the folder in /proc of the process with that variable in
// its environment.
func processWith(t *testing.T, variable string) string {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	must.OK(t, err)
	for _, file := range processes {
		environ, err := os.ReadFile(file)
		if err == nil && slices.Contains(strings.Split(string(environ), "\x00"), variable) { // else gone, or of another user
			return filepath.Dir(file)
		}
	}
	t.Fatal("the function's process is not running")
	return ""
}
