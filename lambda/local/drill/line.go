package drill

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	tick       = 10 * time.Millisecond
	retryAfter = 20 * time.Minute
)

// StartScript starts the program $DRILL_BOOTSTRAP as a process that identifies itself
// everywhere by its name, $DRILL_NAME followed by the process id (kept by exec): to the database by
// its application_name, to the model server and the queues by the path of its calls, see Process.
// $OPENAI_BASE_URL must not end in /v1.
const StartScript = `#!/bin/sh
DATABASE_URL="$DATABASE_URL&application_name=$DRILL_NAME$$" OPENAI_BASE_URL="$OPENAI_BASE_URL/$DRILL_NAME$$/v1" \
AWS_ENDPOINT_URL_SQS="$AWS_ENDPOINT_URL_SQS/$DRILL_NAME$$" exec "$DRILL_BOOTSTRAP"
`

// Process returns the name of the calling process from a call's path.
func Process(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return name
}

// line is a complete stack with a separate database.
type line struct {
	*local.Stack
	db       *pgxpool.Pool // the drill's connections, as superuser
	proxy    *proxy
	lanes    []*lane
	tasks    []*task // the first is the sweep
	model    *scripted.Server
	slack    *slack
	journal  *journal
	sets     *deliveries
	receiver string // of sets: its address
	papers   *papers
	files    string      // folder of the blob store
	engine   string      // folder of the OCR
	reviewed []uuid.UUID // started last
	waits    string      // query for what is unfinished
	clock    atomic.Pointer[clock.Clock]
	closers  []func() error
}

// lane is a workload on a line, with its queue and its function.
type lane struct {
	*workload
	*local.Consumer
	frozen atomic.Int64 // processes
}

// kit has the settings and programs of all lines of a drill.
type kit struct {
	Options
	workloads []*workload
	folder    string
	server    *pgserver.Server
	start     string
	programs  map[string]string // by package
}

func (k *kit) build(ctx context.Context) (err error) {
	k.start = filepath.Join(k.folder, "start")
	if err := os.WriteFile(k.start, []byte(StartScript), 0o700); err != nil {
		return err
	}
	packages := []string{manifest.Sweep.Package, manifest.Schedule.Package}
	for _, w := range k.workloads {
		packages = append(packages, w.Package)
	}
	k.programs = map[string]string{}
	for _, p := range packages {
		if k.programs[p], err = lambdahost.Bootstrap(ctx, k.folder, p, k.Progress); err != nil {
			return err
		}
	}
	return nil
}

func (k *kit) startLine(ctx context.Context) (l *line, err error) {
	l = &line{journal: newJournal(), slack: &slack{}, sets: &deliveries{taken: map[uuid.UUID][]accepted{}},
		papers: newPapers(k.workloads, k.Documents, k.Seed)}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	database, drop, err := pgserver.CreateDatabase(ctx, k.server.URL("postgres"), "drill_")
	if err != nil {
		return l, err
	}
	l.closers = append(l.closers, drop)
	if l.files, err = os.MkdirTemp(k.folder, "files-"); err != nil {
		return l, err
	}
	if err := l.installEngine(k.folder); err != nil {
		return l, err
	}
	if err := l.prepare(ctx, database, k.workloads); err != nil {
		return l, err
	}
	model, err := l.serveModel(ctx)
	if err != nil {
		return l, err
	}
	hook, err := l.serveSlack(ctx)
	if err != nil {
		return l, err
	}
	env := []string{
		variable.MatchMode + "=model", variable.OpenAIKey + "=drill", variable.OpenAIBaseURL + "=" + model,
		variable.LLMRetryBase + "=20ms", variable.LLMTimeout + "=3s", variable.SlackWebhookURL + "=" + hook,
	}
	if err := l.startStack(ctx, k, database, env); err != nil {
		return l, err
	}
	_, err = l.DB.Add(ctx, l.papers.all, postgres.AddOptions{Replace: true, Send: true})
	return l, err
}

func (l *line) startStack(ctx context.Context, k *kit, database string, env []string) (err error) {
	c := local.StackConfig{DatabaseURL: database, Route: l.route, AsOwner: true, OnEvent: l.journal.event}
	named := func(name, bootstrap string) []string {
		return []string{"DRILL_NAME=" + name + "-", "DRILL_BOOTSTRAP=" + k.programs[bootstrap]}
	}
	var own []string // the tasks have the variables of all functions
	for _, w := range k.workloads {
		if w.env != nil {
			own = append(own, w.env(l)...)
		}
		c.Functions = append(c.Functions, local.FunctionConfig{Row: w.Function, Bootstrap: k.start, Concurrency: w.workers,
			Env:  slices.Concat(env, own, named(w.Name, w.Package)),
			Logs: k.Logs, OnInvocation: l.journal.invocation})
	}
	if l.Stack, err = local.StartStack(ctx, c); err != nil {
		return err
	}
	l.closers = append(l.closers, l.Close)
	l.clock.Store(l.Clock)
	for i, w := range k.workloads {
		l.lanes = append(l.lanes, &lane{workload: w, Consumer: l.Consumers[i]})
	}
	for _, t := range []manifest.Task{manifest.Sweep, manifest.Schedule} {
		f := lambdahost.New(lambdahost.Config{Name: t.Name, Bootstrap: k.start, Timeout: t.Timeout, Logs: k.Logs,
			Env: slices.Concat(l.Env(), own, named(t.Name, t.Package))})
		l.closers = append(l.closers, f.Close)
		l.tasks = append(l.tasks, &task{Task: t, function: f, next: l.Clock.Now().Add(t.Every)})
	}
	return nil
}

// lane returns the lane of a function, or nil.
func (l *line) lane(function string) *lane {
	for _, w := range l.lanes {
		if w.workload.Name == function {
			return w
		}
	}
	return nil
}

func (l *line) workloads() (list []*workload) {
	for _, w := range l.lanes {
		list = append(list, w.workload)
	}
	return list
}

// prepare creates the schema, the audit and the functions' route to the database.
func (l *line) prepare(ctx context.Context, database string, list []*workload) error {
	if _, err := schema.Migrate(ctx, database); err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // connections come and go
	if l.db, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	l.closers = append(l.closers, func() error { l.db.Close(); return nil })
	audit := auditSQL
	for _, w := range list {
		audit += w.audit()
	}
	if _, err := l.db.Exec(ctx, audit, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("install audit: %w", err)
	}
	l.waits = fmt.Sprintf(waitingSQL, union(list, unfinishedSQL))
	if _, err := l.db.Exec(ctx, roleSQL, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("create the functions' role: %w", err)
	}
	c := config.ConnConfig
	l.proxy, err = newProxy(ctx, filepath.Join(c.Host, fmt.Sprintf(".s.PGSQL.%d", c.Port)))
	if err == nil {
		l.closers = append(l.closers, func() error { l.proxy.close(); return nil })
	}
	return err
}

// route returns the functions' URL: through the proxy, with a separate role.
func (l *line) route(database string) string {
	u, err := url.Parse(database)
	if err != nil {
		return database
	}
	q := u.Query()
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.User, u.Host, u.RawQuery = url.User("app"), l.proxy.listener.Addr().String(), q.Encode()
	return u.String()
}

// now returns the stack's time, or real time before there is a stack.
func (l *line) now() time.Time {
	if clock := l.clock.Load(); clock != nil {
		return clock.Now()
	}
	return time.Now()
}

func (l *line) serveModel(ctx context.Context) (baseURL string, err error) {
	l.model, err = scripted.Start(ctx, scripted.Options{Mind: l.papers.answer, Key: "drill",
		RetryAfter: retryAfter,
		KeepText:   true, Now: l.now, Observe: l.journal.call})
	if err != nil {
		return "", err
	}
	l.closers = append(l.closers, func() error { l.model.Close(); return nil })
	return strings.TrimSuffix(l.model.URL(), "/v1"), nil
}

// serveSlack serves Slack, and the receiver of sets.
func (l *line) serveSlack(ctx context.Context) (hook string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	l.sets.broken = l.slack.broken.Load
	handler := http.NewServeMux()
	handler.Handle("/", l.slack)
	handler.Handle("/sets", l.sets)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // returns on close
	l.closers = append(l.closers, server.Close)
	l.receiver = "http://" + listener.Addr().String() + "/sets"
	return "http://" + listener.Addr().String() + webhook.Path, nil
}

func (l *line) close() error {
	var errs []error
	for _, f := range slices.Backward(l.closers) {
		errs = append(errs, f())
	}
	l.closers = nil
	return errors.Join(errs...)
}

// quiet reports whether everything outside frozen workers is idle.
func (l *line) quiet() bool {
	for _, w := range l.lanes {
		queue, _ := w.Stats()
		if queue.Visible > 0 || queue.Polls < w.workers-int(w.frozen.Load()) {
			return false
		}
	}
	return !slices.ContainsFunc(l.tasks, func(t *task) bool { return t.running.Load() })
}

// waitingSQL counts unfinished rows; and users without a set (their morning may be hours away),
// unsent sets and failures. Attempt 0 is a warning.
const (
	unfinishedSQL = `SELECT count(*) AS n FROM {table} WHERE {status} IN ('pending', 'in-progress')`
	waitingSQL    = `
SELECT (SELECT sum(n) FROM (%s) AS rows),
	(SELECT count(*) FROM offer_user AS u WHERE NOT EXISTS (SELECT FROM matchmaking_job WHERE user_id = u.id))
		+ (SELECT count(*) FROM offer_delivery WHERE delivered_at IS NULL)
		+ (SELECT count(*) FROM notification AS n WHERE n.attempt > 0 AND NOT EXISTS (SELECT FROM notification_delivery AS d
		WHERE d.notification_id = n.id AND d.channel = 'slack' AND d.status <> 'pending'))`
)

func (l *line) waiting(ctx context.Context) (unfinished, other int, err error) {
	err = l.db.QueryRow(ctx, l.waits).Scan(&unfinished, &other)
	return unfinished, other, err
}

// queued counts the messages in all queues, and returns when the next hidden one becomes visible.
func (l *line) queued() (visible, hidden int, next time.Time) {
	for _, w := range l.lanes {
		queue, _ := w.Stats()
		visible, hidden = visible+queue.Visible, hidden+queue.InFlight
		if at := queue.NextVisible; !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return visible, hidden, next
}

// step lets time pass: it runs the tasks when due, and advances the clocks to the next event
// when everything is idle.
func (l *line) step(ctx context.Context) error {
	for _, t := range l.tasks {
		t.start(ctx, l.Clock.Now())
	}
	if !l.quiet() {
		return nil
	}
	_, hidden, next := l.queued()
	unfinished, other, err := l.waiting(ctx)
	if err != nil || unfinished+other+hidden == 0 {
		return err
	}
	for _, t := range l.tasks {
		if next.IsZero() || t.next.Before(next) {
			next = t.next
		}
	}
	return l.Advance(ctx, max(next.Sub(l.Clock.Now()), time.Millisecond))
}

// drain lets time pass until every row has ended and the queues are empty. It returns when no row
// was unfinished for the first time, on the stack's clock: while sets and failures are sent,
// another date may begin, and its jobs must end, too.
func (l *line) drain(ctx context.Context, patience time.Duration) (done time.Time, err error) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	moved, last := time.Now(), -1
	for {
		if err := l.step(ctx); err != nil {
			return done, err
		}
		unfinished, other, err := l.waiting(ctx)
		if err != nil {
			return done, err
		}
		visible, hidden, _ := l.queued()
		left := unfinished + other + visible + hidden
		if left != last {
			moved, last = time.Now(), left
		}
		stuck := time.Since(moved) > patience // the verdict lists the rest
		if done.IsZero() && (unfinished == 0 || stuck) {
			done = l.Clock.Now()
		}
		if left == 0 || stuck {
			return done, nil
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-ticker.C:
		}
	}
}
