package acceptance_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/cli/importer"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// These flags make the figures of lambda/eval/README.md, with DIR being a
// corpus as eval reads them:
//
//	go test ./lambda/acceptance -run TestMeasureACorpus -v -measure DIR -condition masked
//
// and with -one-by-one for batches of one document, and -far 10ms for a
// database that is so far away.
var (
	measureDir       = flag.String("measure", "", "a corpus as eval reads it, to measure what a document takes")
	measureCondition = flag.String("condition", "visible", "of the corpus that is measured")
	measureLimit     = flag.Int("limit", 0, "documents of the corpus that is measured; 0: all")
	measureOneByOne  = flag.Bool("one-by-one", false, "measure batches of one document")
	measureFar       = flag.Duration("far", 0, "how much longer a round trip to the database takes")
)

// corpusSettings have a database that was just filled analysed at once, as eval
// has it.
var corpusSettings = map[string]string{"autovacuum_naptime": "1s"}

// Bytes of the log, as the page says.
const (
	logBytes      = 471 // of a delivery
	logBytesBatch = 880 // of an invocation
)

// What is logged and sent is the same on every machine. A page that says half
// of it, or twice as much, is to be measured again.
func TestDocumentCostOnPage(t *testing.T) {
	t.Parallel()
	in := must.Get(corpus.ReadFolder("../../testdata/documents"))(t)
	r := rehearse(t, postgrestest.URL(t), 1)
	r.publishIn(r.add(importer.Rows(in.Documents)), matchrun.Chunk)
	n := float64(len(in.Documents))
	batches := float64(len(r.batches))
	for what, tc := range map[string]struct{ got, page float64 }{
		"messages": {float64(r.counts[sqs.Sent]) / n, 1},
		"log":      {float64(r.logBytes), float64(r.counts[sqs.Received])*logBytes + batches*logBytesBatch},
	} {
		if tc.got < tc.page/2 || tc.got > tc.page*2 {
			t.Errorf("%s: %.0f, and the page says %.0f", what, tc.got, tc.page)
		}
	}
}

func TestMeasureACorpus(t *testing.T) {
	t.Parallel()
	if *measureDir == "" {
		t.Skip("measures only on request: run with -measure=FOLDER, a corpus")
	}
	c := must.Get(corpus.Read(*measureDir, *measureCondition))(t)
	c.Choose(*measureLimit, 0)
	url := measuredServer(t)
	model := scripted.Model{Flags: scripted.Flags{Mode: scripted.ModeOracle}, Links: c.Links}
	env := must.Get(model.Start(t.Context(), time.Now))(t)
	t.Cleanup(func() { _ = model.Close() })
	bootstrap(t, manifest.Match.Package) // not counted
	cpu := childCPU(t)
	r := rehearse(t, far(t, url, *measureFar), 1, env...)
	r.measure(c, &model)
	r.end()
	t.Logf("the function: %.2f ms of processor time a document", (childCPU(t)-cpu)*1000/float64(len(c.Documents)))
}

// measuredServer is a database that counts what is done.
func measuredServer(t *testing.T) (url string) {
	t.Helper()
	settings := map[string]string{"shared_preload_libraries": "pg_stat_statements"}
	for name, value := range corpusSettings {
		settings[name] = value
	}
	server := must.Get(pgserver.Start(t.Context(), pgserver.Options{Settings: settings}))(t)
	t.Cleanup(func() { _ = server.Stop() })
	must.Get(schema.Migrate(t.Context(), server.URL("postgres")))(t)
	return server.URL("postgres")
}

// countedRun is a run of the line that is counted.
type countedRun struct {
	*line

	mu       sync.Mutex
	logBytes int
	counts   map[sqs.EventKind]int // messages
	batches  []eventsource.Invocation
}

func rehearse(t *testing.T, url string, concurrency int, env ...string) *countedRun {
	t.Helper()
	r := &countedRun{line: &line{t: t, conn: postgrestest.Conn(t, url)}, counts: make(map[sqs.EventKind]int)}
	r.start(local.StackConfig{OnEvent: r.event,
		Functions: []local.FunctionConfig{{Bootstrap: bootstrap(t, manifest.Match.Package), Env: env,
			Concurrency: concurrency, Logs: r, OnInvocation: r.batch}}})
	return r
}

// Write counts what the function logs, and shows what did not succeed when the
// test fails.
func (r *countedRun) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"level":"WARN"`)) || bytes.Contains(p, []byte(`"level":"ERROR"`)) {
		r.t.Log(string(bytes.TrimSpace(p)))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logBytes += len(p)
	return len(p), nil
}

func (r *countedRun) event(e sqs.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[e.Kind]++
}

func (r *countedRun) batch(i eventsource.Invocation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches = append(r.batches, i)
	if i.Err != nil {
		r.t.Log(i.Err)
	}
}

func (r *countedRun) number(sql string) float64 {
	r.t.Helper()
	return query[float64](r.line, sql)
}

// add imports documents.
func (r *countedRun) add(docs []postgres.Imported) (ids []uuid.UUID) {
	r.t.Helper()
	for some := range slices.Chunk(docs, matchrun.Chunk) {
		must.Get(r.DB.Add(r.t.Context(), some, postgres.AddOptions{Replace: true, Send: true}))(r.t)
		for _, d := range some {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// publishIn publishes so many at a time and waits for each portion.
func (r *countedRun) publishIn(ids []uuid.UUID, portion int) {
	r.t.Helper()
	for some := range slices.Chunk(ids, portion) {
		r.publish(some...)
		if portion == 1 {
			must.OK(r.t, r.WaitIdle(r.t.Context()))
		}
	}
	r.drain(ids)
}

// counters are what the database counts, as SQL.
var counters = map[string]string{
	"bytes of WAL":               "SELECT wal_bytes FROM pg_stat_wal",
	"blocks touched":             "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()",
	"statements":                 "SELECT sum(calls) FROM pg_stat_statements",
	"ms of planning and running": "SELECT sum(total_exec_time + total_plan_time) FROM pg_stat_statements WHERE query NOT LIKE '%advisory%'",
}

func (r *countedRun) measure(c corpus.Corpus, model *scripted.Model) {
	t, ctx, n := r.t, r.t.Context(), float64(len(c.Documents))
	r.exec("CREATE EXTENSION pg_stat_statements")
	empty := r.number("SELECT pg_database_size(current_database())")
	ids := r.add(importer.Rows(c.Input().Documents))
	must.OK(t, model.Learn(ctx, r.DB, ids))
	before := make(map[string]float64)
	for name, sql := range counters {
		before[name] = r.number(sql)
	}
	portion := matchrun.Chunk
	if *measureOneByOne {
		portion = 1
	}
	r.publishIn(ids, portion)
	for name, sql := range counters {
		t.Logf("%s: %.1f a document", name, (r.number(sql)-before[name])/n)
	}
	r.exec("VACUUM")
	t.Logf("bytes stored: %.0f a document", (r.number("SELECT pg_database_size(current_database())")-empty)/n)
	t.Logf("bytes of searchable text: %.0f a document", r.number("SELECT avg(octet_length(searchable_text)) FROM document"))
	usage := must.Get(model.Report(ctx, r.DB, len(ids)))(t)
	calls := float64(max(usage.Calls, 1))
	t.Logf("questions: %.3f a document, each %.0f and %.0f tokens", float64(usage.Questions)/n, float64(usage.PromptTokens)/calls, float64(usage.CompletionTokens)/calls)
	r.counted(n)
}

// counted tells what the line counted.
func (r *countedRun) counted(n float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.t.Logf("%s, %d documents", *measureCondition, int(n))
	r.t.Logf("messages: %.3f a document; bytes of log: %.0f", float64(r.counts[sqs.Sent])/n, float64(r.logBytes)/n)
	bySize := make(map[int][]float64)
	for _, b := range r.batches {
		bySize[len(b.MessageIDs)] = append(bySize[len(b.MessageIDs)], b.Took.Seconds()*1000)
	}
	for size, took := range bySize {
		slices.Sort(took)
		sum := 0.0
		for _, ms := range took {
			sum += ms
		}
		r.t.Logf("%d batches of %d: median %.1f ms, mean %.1f ms", len(took), size, took[len(took)/2], sum/float64(len(took)))
	}
}

// childCPU is the time that processes of ours have worked which have ended: of
// the function, once it is closed.
func childCPU(t *testing.T) float64 {
	t.Helper()
	var usage syscall.Rusage
	must.OK(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// far is the URL of a server behind a line on which every request takes so
// much longer.
func far(t *testing.T, serverURL string, delay time.Duration) string {
	t.Helper()
	if delay == 0 {
		return serverURL
	}
	config := must.Get(pgx.ParseConfig(serverURL))(t)
	socket := filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.OK(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(client, server); _ = client.Close() }()
			go func() { _, _ = io.Copy(late{server, delay}, client); _ = server.Close() }()
		}
	}()
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", config.User, listener.Addr(), config.Database)
}

// late writes late.
type late struct {
	io.Writer
	delay time.Duration
}

func (l late) Write(p []byte) (int, error) {
	<-time.After(l.delay)
	return l.Writer.Write(p)
}
