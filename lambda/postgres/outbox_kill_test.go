package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Processes of this test binary that fail documents and send notifications, as the
// functions do: the worker claims, fails and sends; the sweep gives up and sends.
const (
	envSender   = "MATCHBOOK_TEST_SENDER"          // worker or sweep
	envDatabase = "MATCHBOOK_TEST_SENDER_DATABASE" // with the process's name as application_name
	envChannels = "MATCHBOOK_TEST_SENDER_CHANNELS" // where the channels are
	envName     = "MATCHBOOK_TEST_SENDER_NAME"
	// Senders share this lock; the holder of the exclusive lock moves the clock.
	clockLock = 4712
)

// errBusy is the error of a channel that did not take a message.
var errBusy = &failure.Error{Kind: failure.Transient, Sentence: "the channel did not take it"}

// httpSender is a channel over HTTP that names every failure in its messages.
type httpSender struct{ name, url, process string }

type sentMessage struct {
	Channel, Process string
	PID              int
	IDs              []uuid.UUID
}

func (s httpSender) Channel() string { return s.name }

func (s httpSender) Send(ctx context.Context, m notify.Message) error {
	body, err := json.Marshal(sentMessage{s.name, s.process, os.Getpid(), m.IDs})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
		return errBusy
	}
	return nil
}

// TestSenderProcess isn't a test: the processes run it, until they are killed.
func TestSenderProcess(t *testing.T) {
	t.Parallel()
	role := os.Getenv(envSender)
	if role == "" {
		return
	}
	ctx, log := t.Context(), slog.New(slog.DiscardHandler)
	db := must.Get(postgres.Open(ctx, os.Getenv(envDatabase), 4))(t)
	conn := must.Get(pgx.Connect(ctx, os.Getenv(envDatabase)))(t)
	var senders []notify.Sender
	for _, name := range []string{"mail", "chat"} {
		senders = append(senders, httpSender{name, os.Getenv(envChannels), os.Getenv(envName)})
	}
	relay := &notify.Relay{Outbox: db, Senders: senders, Log: log}
	work := &job.Runtime{Store: db, Backoff: manifest.Match.Retries, Log: log, Work: job.Each(failing(conn))}
	for {
		var err error
		if role == "sweep" {
			_, _, err = db.GiveUp(ctx, sweep.Waits{Visibility: manifest.Match.Visibility(), Lapses: 1, Times: 3, Idle: true}, 100)
		} else {
			err = failBatch(ctx, conn, work)
		}
		must.OK(t, err)
		must.Get(conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", clockLock))(t)
		relay.Run(ctx)
		must.Get(conn.Exec(ctx, "SELECT pg_advisory_unlock_shared($1)", clockLock))(t)
	}
}

// noQueue has nothing to settle.
type noQueue struct{}

func (noQueue) Settle(context.Context, []job.Settled)        {}
func (noQueue) Extend(context.Context, []int, time.Duration) {}

// failBatch claims up to ten pending documents and fails them. The kind of failure
// is in file_path.
func failBatch(ctx context.Context, conn *pgx.Conn, r *job.Runtime) error {
	rows, _ := conn.Query(ctx, `SELECT id, file_path FROM document WHERE matching_status = 'pending' AND file_path <> 'lost' ORDER BY random() LIMIT 10`)
	var id uuid.UUID
	var what string
	var batch []job.Delivery
	if _, err := pgx.ForEachRow(rows, []any{&id, &what}, func() error {
		batch = append(batch, job.Delivery{ID: id, Count: map[string]int{"transient": manifest.Match.MaxReceiveCount()}[what]})
		return nil
	}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // and the lease
	defer cancel()
	r.Run(ctx, batch, noQueue{})
	return nil
}

func failing(conn *pgx.Conn) func(context.Context, job.Attempt) error {
	var mu sync.Mutex
	return func(ctx context.Context, f job.Attempt) error {
		mu.Lock()
		defer mu.Unlock()
		var what string
		if err := conn.QueryRow(ctx, "SELECT file_path FROM document WHERE id = $1", f.ID).Scan(&what); err != nil {
			return err
		}
		switch what {
		case "panic":
			panic("it panics")
		case "transient":
			return &failure.Error{Kind: failure.Transient, Sentence: "it passes"}
		}
		return &failure.Error{Kind: failure.Permanent, Sentence: "it stays"}
	}
}

// arrival is a message that a channel took.
type arrival struct {
	sentMessage
	unanswered bool // the channel's answer did not arrive, or not before its reader's death
}

// stormy is two channels that fail half of the time and lose their first answer,
// and the processes that send to them.
type stormy struct {
	*fixture
	url string // of the channels

	mu       sync.Mutex
	random   *rand.Rand
	arrivals []*arrival
	dead     map[string]bool
	ambush   bool // the next process that is about to be answered is killed
	refused  int
	orphaned int // answers that a process did not live to note
}

func (s *stormy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m sentMessage
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch roll := s.random.IntN(6); {
	case s.dead[m.Process], roll < 3:
		s.refused++
		w.WriteHeader(http.StatusServiceUnavailable)
	case roll == 3, !slices.ContainsFunc(s.arrivals, func(a *arrival) bool { return a.Channel == m.Channel }):
		s.arrivals = append(s.arrivals, &arrival{m, true})
		panic(http.ErrAbortHandler) // the answer is lost
	default:
		s.arrivals = append(s.arrivals, &arrival{m, false})
		if s.ambush {
			s.ambush, s.dead[m.Process] = false, true
			_ = syscall.Kill(m.PID, syscall.SIGKILL)
		}
	}
}

// process is one that runs.
type process struct {
	*exec.Cmd
	name, role string
	errors     bytes.Buffer
	ended      chan error
}

func (s *stormy) start(role string, generation int) *process {
	s.T.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], "-test.run=^TestSenderProcess$"), name: fmt.Sprintf("%s-%d", role, generation), role: role, ended: make(chan error, 1)}
	simURL := must.Get(s.Clock.URL())(s.T)
	p.Env = append(os.Environ(), envSender+"="+role, envDatabase+"="+postgrestest.Setting(s.T, simURL, "application_name", p.name), envChannels+"="+s.url, envName+"="+p.name)
	p.Stdout, p.Stderr = &p.errors, &p.errors
	must.OK(s.T, p.Start())
	go func() { p.ended <- p.Wait() }()
	return p
}

// bury waits for the end of a process that was killed, and notes which answers
// it did not live to note.
func (s *stormy) bury(p *process) {
	s.T.Helper()
	var exit *exec.ExitError
	if err := <-p.ended; !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		s.T.Fatalf("%s ended by itself: %v\n%s", p.name, err, &p.errors)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead[p.name] = true // what it left on its way is refused
	postgrestest.WaitUntil(s.T, "its statements have ended", func() bool {
		return s.Count("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", p.name) == 0
	})
	for _, a := range s.arrivals {
		if a.Process == p.name && !a.unanswered {
			if a.unanswered = s.Count("SELECT count(*) FROM notification_delivery WHERE channel = $1 AND notification_id = ANY ($2) AND status = 'pending'", a.Channel, a.IDs) > 0; a.unanswered {
				s.orphaned++
			}
		}
	}
}

// move moves the clock while no process sends, so that no claim ends during a
// send.
func (s *stormy) move(d time.Duration) {
	s.Exec("SELECT pg_advisory_lock($1)", clockLock)
	s.Advance(d)
	s.Exec("SELECT pg_advisory_unlock($1)", clockLock)
}

// I15, with processes: thousands of documents fail in five ways, in two workers and
// a sweep that are killed again and again, on channels that fail half of the
// time. Each has one row, and each channel is sent each once; again only
// where the channel's answer was lost, or came to a process that was dead.
func TestKilledSendersLoseNone(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "starts dozens of processes")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const total, kills = 3_000, 12
	s := &stormy{fixture: newFixture(t), random: rand.New(rand.NewPCG(seed, 0)), dead: map[string]bool{}, ambush: true}
	server := httptest.NewServer(s)
	defer server.Close()
	s.url = server.URL
	s.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, file_path, matching_status, matching_republished, matching_due_at, matching_lease_until)
		SELECT gen_random_uuid(), $1, 'invoice', '{}', kind, CASE kind WHEN 'crashed' THEN 'in-progress' ELSE 'pending' END, 3,
			CASE WHEN kind <> 'crashed' THEN now() - CASE kind WHEN 'lost' THEN interval '1 year' ELSE interval '0' END END,
			CASE kind WHEN 'crashed' THEN now() - interval '1 year' END
		FROM generate_series(1, $2) AS n, LATERAL (SELECT ('{permanent,panic,transient,lost,crashed}'::text[])[1 + n % 5] AS kind) AS k`, tenant, total)
	processes := []*process{s.start("worker", 1), s.start("worker", 2), s.start("sweep", 3)}
	defer func() {
		for _, p := range processes {
			_ = p.Process.Kill()
			s.bury(p)
		}
	}()
	unfinished := func() int {
		return s.Count(`SELECT (SELECT count(*) FROM document WHERE matching_status <> 'failed') + (SELECT count(*) FROM notification AS n, (VALUES ('mail'), ('chat')) AS c (channel)
			WHERE NOT EXISTS (SELECT FROM notification_delivery AS d WHERE d.notification_id = n.id AND d.channel = c.channel AND d.status <> 'pending'))`)
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(postgrestest.Stuck)
	generation := len(processes)
	for killed, round := 0, 0; killed < kills || unfinished() > 0; round++ {
		select {
		case <-deadline:
			t.Fatalf("after %s %d are unfinished, %d kills", postgrestest.Stuck, unfinished(), killed)
		case <-ticker.C:
		}
		s.move(20 * time.Second)
		if round%4 == 3 && killed < kills { // half of them at the worst moment
			if killed++; killed%2 == 0 {
				s.setAmbush()
			} else {
				_ = processes[killed/2%len(processes)].Process.Kill()
			}
		}
		for i, p := range processes {
			if len(p.ended) > 0 {
				s.bury(p)
				generation++
				processes[i] = s.start(p.role, generation)
			}
		}
	}
	s.check(total)
}

func (s *stormy) setAmbush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ambush = true
}

// check counts the failures that each channel was sent.
func (s *stormy) check(total int) {
	s.T.Helper()
	if rows, documents := s.Count("SELECT count(*) FROM notification"), s.Count("SELECT count(DISTINCT document_id) FROM notification"); rows != total || documents != total {
		s.T.Errorf("%d rows about %d documents, want one for each of %d", rows, documents, total)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, channel := range []string{"mail", "chat"} {
		answered := map[uuid.UUID]int{}
		messages, unanswered, again := 0, 0, 0
		for _, a := range s.arrivals {
			if a.Channel != channel {
				continue
			}
			messages++
			if a.unanswered {
				unanswered, again = unanswered+1, again+len(a.IDs)
				continue
			}
			for _, id := range a.IDs {
				answered[id]++
			}
		}
		s.T.Logf("%s: %d messages; %d were taken without an answer that was noted, with %d failures, which were sent again", channel, messages, unanswered, again)
		for id, n := range answered {
			if n != 1 {
				s.T.Errorf("%s was sent a failure %d times, %s, and its answer was noted", channel, n, id)
			}
		}
		if len(answered) != total || unanswered == 0 {
			s.T.Errorf("%s was sent %d failures, want %d; %d answers were lost", channel, len(answered), total, unanswered)
		}
	}
	s.T.Logf("%d messages were refused; %d answers came to a process that died; kinds: %s", s.refused, s.orphaned, s.kinds())
	if s.orphaned == 0 {
		s.T.Error("no process died between an answer and noting it: it proves little")
	}
}

// kinds are the kinds of the rows, with their counts.
func (s *stormy) kinds() string {
	s.T.Helper()
	list := postgrestest.Values[string](s.T, s.Conn, "SELECT kind || ' ' || count(*) FROM notification GROUP BY kind")
	slices.Sort(list)
	return strings.Join(list, ", ")
}
