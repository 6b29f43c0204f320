package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	tick       = 10 * time.Millisecond
	workers    = 4 // concurrent invocations
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

// programs are the executables of a drill.
type programs struct{ start, match, sweep string }

func build(ctx context.Context, folder string, progress func(string)) (p programs, err error) {
	p.start = filepath.Join(folder, "start")
	if err := os.WriteFile(p.start, []byte(StartScript), 0o700); err != nil {
		return p, err
	}
	if p.match, err = lambdahost.Bootstrap(ctx, folder, manifest.Match.Package, progress); err != nil {
		return p, err
	}
	p.sweep, err = lambdahost.Bootstrap(ctx, folder, manifest.Sweep.Package, progress)
	return p, err
}

// line is a complete stack with a separate database.
type line struct {
	*local.Stack
	db      *pgxpool.Pool // the drill's connections, as superuser
	proxy   *proxy
	sweep   *lambdahost.Function
	model   *scripted.Server
	slack   *slack
	journal *journal
	papers  *papers
	clock   atomic.Pointer[clock.Clock]
	closers []func() error

	frozen   atomic.Int64 // processes
	sweeping atomic.Bool
	sweeps   atomic.Int64
	failed   atomic.Int64 // failed sweeps
	nextAt   time.Time    // next sweep, on the stack's clock
}

func startLine(ctx context.Context, server *pgserver.Server, p programs, papers *papers, logs io.Writer) (l *line,
	err error) {
	l = &line{journal: newJournal(), slack: &slack{}, papers: papers}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	database, drop, err := pgserver.CreateDatabase(ctx, server.URL("postgres"), "drill_")
	if err != nil {
		return l, err
	}
	l.closers = append(l.closers, drop)
	if err := l.prepare(ctx, database); err != nil {
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
		"DRILL_NAME=match-", "DRILL_BOOTSTRAP=" + p.match,
	}
	match := local.FunctionConfig{Bootstrap: p.start, Env: env, Concurrency: workers, Logs: logs,
		OnInvocation: l.journal.invocation}
	l.Stack, err = local.StartStack(ctx, local.StackConfig{DatabaseURL: database, Route: l.route, AsOwner: true,
		OnEvent: l.journal.event, Functions: []local.FunctionConfig{match}})
	if err != nil {
		return l, err
	}
	l.closers = append(l.closers, l.Close)
	l.clock.Store(l.Clock)
	l.nextAt = l.Clock.Now().Add(manifest.Sweep.Every)
	l.sweep = lambdahost.New(lambdahost.Config{Name: manifest.Sweep.Name, Bootstrap: p.start,
		Timeout: manifest.Sweep.Timeout, Logs: logs,
		Env: append(l.Env(), "DRILL_NAME=sweep-", "DRILL_BOOTSTRAP="+p.sweep)})
	l.closers = append(l.closers, l.sweep.Close)
	_, err = l.DB.Add(ctx, papers.all, postgres.AddOptions{Replace: true, Send: true})
	return l, err
}

// prepare creates the schema, the audit and the functions' route to the database.
func (l *line) prepare(ctx context.Context, database string) error {
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
	if _, err := l.db.Exec(ctx, auditSQL, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("install audit: %w", err)
	}
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
	l.model, err = scripted.Start(ctx, scripted.Options{Mind: choosesAll, Key: "drill",
		RetryAfter: retryAfter,
		KeepText:   true, Now: l.now, Observe: l.journal.call})
	if err != nil {
		return "", err
	}
	l.closers = append(l.closers, func() error { l.model.Close(); return nil })
	return strings.TrimSuffix(l.model.URL(), "/v1"), nil
}

// choosesAll is a model matching all candidates. Its answer contains the question's id.
func choosesAll(q scripted.Question) string {
	var matches []string
	for n := range strings.Count(q.User, "<<<candidate\n") {
		matches = append(matches, fmt.Sprintf(`{"candidate":%d,"confidence":"high","reasoning":"Scripted, question %s."}`,
			n+1, questionOf(q.User)))
	}
	return `{"matches":[` + strings.Join(matches, ",") + `]}`
}

func (l *line) serveSlack(ctx context.Context) (hook string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: l.slack, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // returns on close
	l.closers = append(l.closers, server.Close)
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
	queue, _ := l.Stats()
	return queue.Visible == 0 && queue.Polls >= workers-int(l.frozen.Load()) && !l.sweeping.Load()
}

// waitingSQL counts unfinished documents and unsent failures; attempt 0 is a warning.
const waitingSQL = `
SELECT (SELECT count(*) FROM document WHERE matching_status IN ('pending', 'in-progress')),
	(SELECT count(*) FROM notification AS n WHERE n.attempt > 0 AND NOT EXISTS (
		SELECT FROM notification_delivery AS d
		WHERE d.notification_id = n.id AND d.channel = 'slack' AND d.status <> 'pending'))`

func (l *line) waiting(ctx context.Context) (unfinished, unsent int, err error) {
	err = l.db.QueryRow(ctx, waitingSQL).Scan(&unfinished, &unsent)
	return unfinished, unsent, err
}

// step lets time pass: it runs the sweep when due, and advances the clocks to the next event
// when everything is idle.
func (l *line) step(ctx context.Context) error {
	now := l.Clock.Now()
	if !now.Before(l.nextAt) && l.sweeping.CompareAndSwap(false, true) {
		l.nextAt = now.Add(manifest.Sweep.Every)
		go func() {
			defer l.sweeping.Store(false)
			l.sweeps.Add(1)
			if err := l.runSweep(ctx); err != nil {
				l.failed.Add(1)
			}
		}()
	}
	if !l.quiet() {
		return nil
	}
	queue, _ := l.Stats()
	unfinished, unsent, err := l.waiting(ctx)
	if err != nil || unfinished+unsent+queue.InFlight == 0 {
		return err
	}
	next := l.nextAt
	if !queue.NextVisible.IsZero() && queue.NextVisible.Before(next) {
		next = queue.NextVisible
	}
	return l.Advance(ctx, max(next.Sub(l.Clock.Now()), time.Millisecond))
}

// runSweep invokes the sweep function.
func (l *line) runSweep(ctx context.Context) error {
	_, err := l.sweep.Invoke(ctx, []byte(`{}`))
	return err
}

// drain lets time pass until every document has ended and the queue is empty. It returns the
// end of the last document, on the stack's clock.
func (l *line) drain(ctx context.Context, patience time.Duration) (done time.Time, err error) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	moved, last := time.Now(), -1
	for {
		if err := l.step(ctx); err != nil {
			return done, err
		}
		unfinished, unsent, err := l.waiting(ctx)
		if err != nil {
			return done, err
		}
		queue, _ := l.Stats()
		left := unfinished + unsent + queue.Visible + queue.InFlight
		switch {
		case left == 0:
			return done, nil
		case unfinished > 0:
			done = l.Clock.Now()
		}
		if left != last {
			moved, last = time.Now(), left
		}
		if time.Since(moved) > patience {
			return done, nil // the verdict lists the rest
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-ticker.C:
		}
	}
}
