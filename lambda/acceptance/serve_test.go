package acceptance_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

var serveKills = flag.Int("serve-kills", 12, "kills of serve under load")

// station is a database, its clock and a model for processes of serve.
type station struct {
	t      *testing.T
	conn   *pgx.Conn
	clock  *simclock.Clock
	bought *purchases
	held   string // condition for what killed processes had in work
	env    []string
	args   []string
}

func newStation(t *testing.T) *station {
	t.Helper()
	url := postgrestest.URL(t)
	s := &station{t: t, held: "false", conn: postgrestest.Conn(t, url), clock: must.Get(simclock.Install(t.Context(), url, time.Time{}))(t),
		bought: newPurchases(t, url)}
	t.Cleanup(s.clock.Close)
	model := must.Get(scripted.Start(t.Context(), scripted.Options{Mind: func(q scripted.Question) string {
		s.bought.note(q)
		return choosing("medium")
	}}))(t)
	t.Cleanup(model.Close)
	s.env = append(os.Environ(), variable.DatabaseURL+"="+must.Get(s.clock.URL())(t), variable.OpenAIBaseURL+"="+model.URL(),
		variable.OpenAIKey+"=key", variable.LLMRetryBase+"=10ms")
	s.args = []string{"serve", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--every", "100ms"}
	return s
}

// start starts a process, which is killed at the end of the test at the latest.
func (s *station) start() *exec.Cmd {
	s.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(s.t.Context()), must.Get(command())(s.t), s.args...)
	cmd.Env = s.env
	cmd.Stderr = testLog{s.t}
	must.OK(s.t, cmd.Start())
	s.t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may be over
	_ = cmd.Wait()
}

func (s *station) count(condition string) int {
	s.t.Helper()
	return postgrestest.Value[int](s.t, s.conn, "SELECT count(*) FROM document WHERE "+condition)
}

// insertSQL inserts pairs of an order and an invoice into ten tenants. Five of seven invoices cite
// their order. The other two fit two orders equally well, so the model is asked about them.
const insertSQL = `
INSERT INTO tenant (id, name) SELECT md5('tenant' || n)::uuid, 'tenant ' || n FROM generate_series(0, 9) AS n ON CONFLICT DO NOTHING;
INSERT INTO document (id, tenant_id, type, matching_status, structured_data)
SELECT md5(kind || n)::uuid, md5('tenant' || n / 7 %% 10)::uuid, kind::document_type, 'pending',
	jsonb_build_object('number', kind || n, 'date', '2026-03-02', 'supplier', jsonb_build_object('name', 'Supplier ' || n - (n %% 7 = 1)::int),
		'line_items', jsonb_build_array(jsonb_build_object('sku', 'L-' || n - (n %% 7 = 1)::int, 'quantity', '2')))
	|| CASE WHEN kind = 'invoice' AND n %% 7 > 1 THEN jsonb_build_object('references',
		jsonb_build_array(jsonb_build_object('type', 'purchase-order', 'number', 'purchase-order' || n))) ELSE '{}' END
FROM generate_series(%d, %d) AS n, unnest(ARRAY['purchase-order', 'invoice']) AS kind`

func (s *station) insert(from, pairs int) {
	s.t.Helper()
	must.Get(s.conn.Exec(s.t.Context(), fmt.Sprintf(insertSQL, from, from+pairs-1)))(s.t)
}

// killed notes what is in work when no process lives any more.
func (s *station) killed() {
	s.t.Helper()
	s.held = "matching_status = 'in-progress' AND id || '/' || matching_attempts = ANY ('" + postgrestest.Value[string](s.t, s.conn,
		"SELECT coalesce(array_agg(id || '/' || matching_attempts), '{}')::text FROM document WHERE matching_status = 'in-progress'") + "')"
}

// finish waits until all documents are done. Leases of killed processes end on the clock; it stands
// still while a live one works, because its lease would end, too.
func (s *station) finish(documents int) {
	s.t.Helper()
	waitFor(s.t, "all documents are done", func() bool {
		if s.count("matching_status = 'pending'") == 0 && s.count(s.held) > 0 {
			must.OK(s.t, s.clock.Advance(s.t.Context(), time.Minute))
		}
		return s.count("matching_status IN ('succeeded', 'failed')") == documents
	})
	s.publishCrashed(documents)
	check(s.t, "citing invoices without their order", postgrestest.Value[int](s.t, s.conn, `SELECT count(*) FROM document AS d
		WHERE structured_data ? 'references' AND NOT EXISTS (SELECT FROM matchbook_match AS m WHERE d.id IN (m.document_a_id, m.document_b_id))`), 0)
	check(s.t, "questions asked although the answer was stored", s.bought.again, 0)
}

// publishCrashed publishes what failed because three processes in a row died with it, and waits
// for it: nothing else may fail, and each is explained.
func (s *station) publishCrashed(documents int) {
	s.t.Helper()
	failed := s.count("matching_status = 'failed'")
	check(s.t, "failures explained", s.count(`matching_status = 'failed' AND matching_error LIKE 'crashed: 3 attempts in a row%'
		AND EXISTS (SELECT FROM notification AS n WHERE n.document_id = document.id AND n.kind = 'crashed')`), failed)
	if failed == 0 {
		return
	}
	s.t.Logf("%d documents were in the hands of three processes that were killed in a row", failed)
	code, out := matchbook(s.t, s.env, "publish", "--failed")
	check(s.t, "exit status of publish --failed: "+out, code, 0)
	waitFor(s.t, "what crashed is done", func() bool { return s.count("matching_status = 'succeeded'") == documents })
}

// The real process is killed at random moments under load. Whatever it held is taken up again
// and done once, and no answer is bought twice.
func TestServeKilled(t *testing.T) {
	testenv.OnlyThorough(t, "kills a process again and again")
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const pairs = 40
	s := newStation(t)
	for n := range *serveKills {
		s.insert(n*pairs, pairs)
		before, more := s.count("matching_status = 'succeeded'"), 1+random.IntN(pairs)
		process := s.start()
		waitFor(t, "some more documents are done", func() bool { return s.count("matching_status = 'succeeded'") >= before+more })
		kill(process)
		if n%4 == 3 {
			must.OK(t, s.clock.Advance(t.Context(), 2*time.Minute)) // the leases end
		}
	}
	s.killed()
	s.start()
	s.finish(2 * pairs * *serveKills)
	t.Logf("%d questions asked, %d documents lapsed at times", len(s.bought.asked), s.count("matching_attempts > 1"))
}

// Two processes share a database.
func TestServeTwice(t *testing.T) {
	testenv.OnlyThorough(t, "builds and runs the command")
	t.Parallel()
	const pairs = 200
	s := newStation(t)
	s.start()
	s.insert(0, pairs)
	s.start()
	s.insert(pairs, pairs)
	s.finish(4 * pairs)
}

// A database moves to a stack and back: what a killed process left open is done by the stack's
// sweep, and the next process goes on.
func TestServeThenStack(t *testing.T) {
	testenv.OnlyThorough(t, "builds and runs the command")
	t.Parallel()
	s := newStation(t)
	s.insert(0, 100)
	process := s.start()
	waitFor(t, "some documents are done", func() bool { return s.count("matching_status = 'succeeded'") > 20 })
	kill(process)

	l := &line{t: t, conn: s.conn}
	l.start(local.StackConfig{FrozenAt: time.Now().Add(time.Hour), OnEvent: l.add, Functions: []local.FunctionConfig{
		{Concurrency: 2, Logs: l.output(), Bootstrap: bootstrap(t, manifest.Match.Package)}}})
	s.insert(100, 50)
	must.OK(t, l.Drain(t.Context(), l.Unfinished))
	check(t, "done by both", s.count("matching_status = 'succeeded'"), 300)
	l.end()

	s.start()
	s.insert(150, 50)
	s.finish(400)
}
