package secret

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup/secret/secrettest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// source is that of production, with a clock that the test moves.
func source(clock *atomic.Int64) Source {
	return Manager(func(ctx context.Context) (aws.Config, error) { return config.LoadDefaultConfig(ctx) },
		func() time.Time { return time.Unix(0, clock.Load()) })
}

// oldKey returns the secret "openai" of the manager, read as sk-old.
func oldKey(t *testing.T, m *secrettest.Manager, clock *atomic.Int64) *secret {
	t.Helper()
	m.Set("openai", "sk-old")
	env := envOf(map[string]string{"OPENAI_API_KEY_SECRET_ARN": secrettest.ARN("openai")})
	_, found, errs := source(clock).Resolve(env, variable.OpenAIKey)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return found[variable.OpenAIKey]
}

func envOf(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

var rds = server{port: "5432", database: "postgres", sslmode: "require"}

// A secret that RDS manages has user and password only; the rest comes from variables.
func TestSecretWithoutHost(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	m.Set("rds!cluster-1f", `{"username":"u","password":"p:/?#[]@"}`)
	var clock atomic.Int64
	for _, tc := range []struct{ host, port, name, want string }{
		{"db.cluster-x.eu-central-1.rds.amazonaws.com", "", "", "postgres://u:p%3A%2F%3F%23%5B%5D%40@db.cluster-x.eu-central-1.rds.amazonaws.com:5432/postgres?sslmode=require"},
		{"db", "6432", "books", "postgres://u:p%3A%2F%3F%23%5B%5D%40@db:6432/books?sslmode=require"},
		{"", "6432", "books", `missing member "DATABASE_URL", or instead host; a secret managed by RDS has no host: set PGHOST`},
	} {
		env := envOf(map[string]string{"DATABASE_URL_SECRET_ARN": secrettest.ARN("rds!cluster-1f"), "PGHOST": tc.host, "PGPORT": tc.port,
			"PGDATABASE": tc.name})
		got, _, errs := source(&clock).Resolve(env, variable.DatabaseURL)
		if url := got(variable.DatabaseURL); url != tc.want && (len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), tc.want)) {
			t.Errorf("%+v: got %q, %v", tc, url, errs)
		}
	}
}

// The object that RDS keeps has no member for a URL's parameters: an additional
// member holds them.
func TestRDSParameters(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]string{
		"":                                       "sslmode=require",
		"pool_max_conns=3":                       "pool_max_conns=3&sslmode=require",
		"sslmode=verify-full&options=-c%20a%3Db": "options=-c%20a%3Db&sslmode=verify-full",
	} {
		text := fmt.Sprintf(`{"host":"db","username":"u","password":"p","parameters":%q}`, parameters)
		if got, err := valueOf(variable.DatabaseURL, text, rds); err != nil || got != "postgres://u:p@db:5432/postgres?"+
			want {
			t.Errorf("%q: got %q, %v", parameters, got, err)
		}
	}
	_, err := valueOf(variable.DatabaseURL, `{"host":"db","username":"u","password":"p","parameters":"%PLANTED"}`, rds)
	if err == nil || !strings.Contains(err.Error(), `"parameters"`) || strings.Contains(err.Error(), "PLANTED") {
		t.Errorf("got %v", err)
	}
}

// With certificates to check the server against, it is checked.
func TestRootsVerifyServer(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	m.Set("database", `{"host":"db","username":"u","password":"p"}`)
	var clock atomic.Int64
	for roots, want := range map[string]string{"": "require", "/var/task/database-ca.pem": "verify-full"} {
		for _, name := range []string{variable.DatabaseURL, variable.AppDatabaseURL} {
			env := envOf(map[string]string{name + "_SECRET_ARN": secrettest.ARN("database"), variable.RootCertificates: roots})
			env, _, errs := source(&clock).Resolve(env, name)
			if got := env(name); len(errs) > 0 || got != "postgres://u:p@db:5432/postgres?sslmode="+want {
				t.Errorf("%q: got %q, %v", roots, got, errs)
			}
		}
	}
}

// A useless value does not stay: the secret is read again after five minutes.
func TestUselessSecretIsReread(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	var clock atomic.Int64
	s := oldKey(t, m, &clock)
	for _, value := range []string{"export OPENAI_API_KEY=sk-new", "sk-new"} {
		m.Set("openai", value)
		clock.Add(int64(fetchEvery))
		if got, changed := s.renew(t.Context(), "sk-old"); got != value || !changed {
			t.Errorf("got %q, %t, want %q", got, changed, value)
		}
	}
}

// A renewal does not outlast the context of its caller.
func TestRenewalEndsWithCaller(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var clock atomic.Int64
	s := &secret{name: variable.OpenAIKey, id: secrettest.ARN("openai"), value: "sk-old",
		now: func() time.Time { return time.Unix(0, clock.Add(int64(fetchEvery))) },
		fetch: func(context.Context, string) (string, error) {
			<-release
			return "sk-new", nil
		}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, changed := s.renew(ctx, "sk-old"); changed {
		t.Errorf("got %q before it was read", got)
	}
	close(release)
	if got, changed := s.renew(t.Context(), "sk-old"); got != "sk-new" || !changed {
		t.Errorf("got %q, %t", got, changed)
	}
}

// A hundred refusals at once cause one read, at the earliest five minutes after
// the last; all callers get the new value.
func TestRereadInterval(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	var clock atomic.Int64
	s := oldKey(t, m, &clock)
	refused := func(refused string) (changed int) {
		var n atomic.Int64
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if value, ok := s.renew(t.Context(), refused); ok && value == "sk-new" {
					n.Add(1)
				}
			})
		}
		all.Wait()
		return int(n.Load())
	}
	m.Set("openai", "sk-new")
	for _, step := range []struct {
		after         time.Duration
		refused       string
		changed, read int // read: in all, with the cold start
	}{
		{0, "sk-old", 0, 1},
		{fetchEvery - 1, "sk-old", 0, 1},
		{1, "sk-old", 100, 2},
		{0, "sk-old", 100, 2}, // they had it from before
		{0, "sk-new", 0, 2},
		{fetchEvery, "sk-old", 100, 3}, // it is looked at again, for they may have no use for it
		{0, "sk-new", 0, 3},
		{fetchEvery - 1, "sk-new", 0, 3},
	} {
		clock.Add(int64(step.after))
		if changed := refused(step.refused); changed != step.changed || m.Count("openai") != step.read {
			t.Errorf("after %s: %d were given a new value and it was read %d times, want %d and %d",
				time.Duration(clock.Load()), changed, m.Count("openai"), step.changed, step.read)
		}
	}
	clock.Add(int64(fetchEvery))
	m.Refuse("AccessDeniedException") // which the SDK does not ask for again
	if n := refused("sk-new"); n != 0 || m.Count("openai") != 4 || s.value != "sk-new" {
		t.Errorf("a read that fails: %d changes, %d reads, %q", n, m.Count("openai"), s.value)
	}
}
