package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

// arn is that of a secret with the name.
func arn(name string) string {
	return "arn:aws:secretsmanager:eu-central-1:000000000000:secret:" + name + "-AbCdEf"
}

const managerURL = "AWS_ENDPOINT_URL_SECRETS_MANAGER"

// manager is a Secrets Manager as the SDK sees it, over HTTP.
type manager struct {
	mu      sync.Mutex
	values  map[string]string // by ARN
	refuses string            // the code of an error, for all
	fetches map[string]int
	url     string
}

// newManager starts one. What the SDK reads from the process is set for the
// test but for where it is: each test says so, and so is not parallel.
func newManager(t *testing.T) *manager {
	t.Helper()
	m := &manager{values: map[string]string{}, fetches: map[string]int{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	for name, value := range map[string]string{"AWS_REGION": "eu-central-1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_MAX_ATTEMPTS": "1"} {
		t.Setenv(name, value)
	}
	return m
}

func (m *manager) set(name, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[arn(name)] = value
}

func (m *manager) refuse(code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuses = code
}

func (m *manager) count(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fetches[arn(name)]
}

func (m *manager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ SecretId string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fetches[in.SecretId]++
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	value, known := m.values[in.SecretId]
	switch {
	case r.Header.Get("X-Amz-Target") != "secretsmanager.GetSecretValue":
		w.WriteHeader(http.StatusNotImplemented)
	case m.refuses != "" || !known:
		w.WriteHeader(http.StatusBadRequest)
		code := m.refuses
		if code == "" {
			code = "ResourceNotFoundException"
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"__type": code, "message": "PLANTED in a message"})
	default:
		_ = json.NewEncoder(w).Encode(map[string]string{"ARN": in.SecretId, "SecretString": value})
	}
}

// source is the one of production, with a clock that the test moves.
func (m *manager) source(clock *atomic.Int64) source {
	src := secretsManager()
	src.now = func() time.Time { return time.Unix(0, clock.Load()) }
	return src
}

func envOf(values map[string]string) Env { return func(name string) string { return values[name] } }

func TestSecretsAreReadByTheirARN(t *testing.T) {
	m := newManager(t)
	t.Setenv(managerURL, m.url)
	m.set("database", `{"engine":"postgres","host":"db.internal","port":5433,"username":"match book","password":"a/b@c:d?","dbname":"docs"}`)
	m.set("openai", "sk-one\n")
	m.set("slack", `{"SLACK_WEBHOOK_URL":"https://hooks.slack.com/services/x"}`)
	values := map[string]string{"QUEUE_URL": "q",
		"DATABASE_URL_SECRET_ARN": arn("database"), "OPENAI_API_KEY_SECRET_ARN": arn("openai"), "SLACK_WEBHOOK_URL_SECRET_ARN": arn("slack")}
	c, err := LoadMatch(envOf(values))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"postgres://match%20book:a%2Fb%40c%3Ad%3F@db.internal:5433/docs?sslmode=require", "sk-one", "https://hooks.slack.com/services/x"}
	if got := []string{c.DatabaseURL, c.Model.OpenAI.APIKey, c.Notify.SlackURL}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	values["DATABASE_URL"], values["MATCH_MODE"] = "postgres://plain", "rules"
	if c, err = LoadMatch(envOf(values)); err != nil || c.DatabaseURL != "postgres://plain" || c.secrets[manifest.EnvDatabaseURL] != nil {
		t.Errorf("a plain value does not win: got %q, %v", c.DatabaseURL, err)
	}
	if got := []int{m.count("database"), m.count("openai"), m.count("slack")}; !slices.Equal(got, []int{1, 1, 2}) {
		t.Errorf("fetched %v times: what is not needed is not read", got)
	}
}

// What RDS keeps has no room for a URL's parameters: a member of ours has.
func TestARDSSecretMayHaveParameters(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]string{
		"":                                       "sslmode=require",
		"pool_max_conns=3":                       "pool_max_conns=3&sslmode=require",
		"sslmode=verify-full&options=-c%20a%3Db": "options=-c%20a%3Db&sslmode=verify-full",
	} {
		text := fmt.Sprintf(`{"host":"db","username":"u","password":"p","parameters":%q}`, parameters)
		if got, err := valueOf(manifest.EnvDatabaseURL, text); err != nil || got != "postgres://u:p@db:5432/postgres?"+want {
			t.Errorf("%q: got %q, %v", parameters, got, err)
		}
	}
	_, err := valueOf(manifest.EnvDatabaseURL, `{"host":"db","username":"u","password":"p","parameters":"%PLANTED"}`)
	if err == nil || !strings.Contains(err.Error(), `"parameters"`) || strings.Contains(err.Error(), "PLANTED") {
		t.Errorf("got %v", err)
	}
}

// Everything that is wrong is said at once: with the names of variable and
// secret, and with nothing of a value or of what AWS said.
func TestSecretsThatCannotBeReadAreReportedAtOnce(t *testing.T) {
	m := newManager(t)
	t.Setenv(managerURL, m.url)
	m.set("database", `{"username":"PLANTED","password":"PLANTED"}`)
	m.set("slack", `{"url":"PLANTED"}`)
	_, err := LoadMatch(envOf(map[string]string{"DATABASE_URL_SECRET_ARN": arn("database"),
		"OPENAI_API_KEY_SECRET_ARN": arn("prod/openai"), "SLACK_WEBHOOK_URL_SECRET_ARN": arn("slack")}))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`DATABASE_URL_SECRET_ARN: the secret database-AbCdEf is a JSON object without "DATABASE_URL", and without host`,
		"OPENAI_API_KEY_SECRET_ARN: the secret prod/openai-AbCdEf does not exist, or has no value yet",
		`SLACK_WEBHOOK_URL_SECRET_ARN: the secret slack-AbCdEf is a JSON object without a text "SLACK_WEBHOOK_URL"`,
		"QUEUE_URL is not set",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	for _, unwanted := range []string{"PLANTED", "OPENAI_API_KEY is not set", "DATABASE_URL is not set"} {
		if strings.Contains(err.Error(), unwanted) {
			t.Errorf("%q is in:\n%v", unwanted, err)
		}
	}
	for code, want := range map[string]string{"AccessDeniedException": "allow secretsmanager:GetSecretValue", "DecryptionFailure": "kms:Decrypt",
		"InternalServiceError": "AWS error (InternalServiceError)"} {
		m.refuse(code)
		if _, err := LoadMigrate(envOf(map[string]string{"DATABASE_URL_SECRET_ARN": arn("database")})); err == nil ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%s: got %v", code, err)
		}
	}
	t.Setenv(managerURL, "http://127.0.0.1:1")
	if _, err := LoadMigrate(envOf(map[string]string{"DATABASE_URL_SECRET_ARN": arn("database")})); err == nil ||
		!strings.Contains(err.Error(), "is there a way to Secrets Manager from here?") {
		t.Errorf("no way: got %v", err)
	}
}

// A value of no use does not stay: it is read again when it may be.
func TestSecretOfNoUseIsReadAgain(t *testing.T) {
	m := newManager(t)
	t.Setenv(managerURL, m.url)
	m.set("openai", "sk-old")
	var clock atomic.Int64
	_, found, errs := m.source(&clock).resolve(envOf(map[string]string{"OPENAI_API_KEY_SECRET_ARN": arn("openai")}), manifest.EnvOpenAIKey)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := found[manifest.EnvOpenAIKey]
	for _, mended := range []string{"export OPENAI_API_KEY=sk-new", "sk-new"} {
		m.set("openai", mended)
		clock.Add(int64(fetchEvery))
		if got, changed := s.renew(t.Context(), "sk-old"); got != mended || !changed {
			t.Errorf("got %q, %t, want %q", got, changed, mended)
		}
	}
}

// Nobody waits for a read for longer than he has time.
func TestRenewalEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var clock atomic.Int64
	s := &secret{name: manifest.EnvOpenAIKey, id: arn("openai"), value: "sk-old",
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

// A hundred who are refused at once cause one read, none earlier than five
// minutes after the last; the new value is everybody's at once.
func TestRefusedSecretIsReadAtMostEveryFiveMinutes(t *testing.T) {
	m := newManager(t)
	t.Setenv(managerURL, m.url)
	m.set("openai", "sk-old")
	var clock atomic.Int64
	_, found, errs := m.source(&clock).resolve(envOf(map[string]string{"OPENAI_API_KEY_SECRET_ARN": arn("openai")}), manifest.EnvOpenAIKey)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := found[manifest.EnvOpenAIKey]
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
	m.set("openai", "sk-new")
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
		if changed := refused(step.refused); changed != step.changed || m.count("openai") != step.read {
			t.Errorf("after %s: %d were given a new value and it was read %d times, want %d and %d",
				time.Duration(clock.Load()), changed, m.count("openai"), step.changed, step.read)
		}
	}
	clock.Add(int64(fetchEvery))
	m.refuse("AccessDeniedException") // which the SDK does not ask for again
	if n := refused("sk-new"); n != 0 || m.count("openai") != 4 || s.value != "sk-new" {
		t.Errorf("a read that fails: %d changes, %d reads, %q", n, m.count("openai"), s.value)
	}
}

// A provider that takes only the new key is asked with it in the same try.
func TestRotatedKeyIsUsedInTheSameTry(t *testing.T) {
	m := newManager(t)
	t.Setenv(managerURL, m.url)
	m.set("openai", "sk-old")
	var taken atomic.Value
	taken.Store("sk-old")
	var asked atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if body, _ := io.ReadAll(r.Body); !json.Valid(body) {
			t.Errorf("asked %q", body)
		}
		if r.Header.Get("Authorization") != fmt.Sprint("Bearer ", taken.Load()) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	var clock atomic.Int64
	c, err := loadMatch(envOf(map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "q", "OPENAI_BASE_URL": provider.URL,
		"OPENAI_API_KEY_SECRET_ARN": arn("openai")}), m.source(&clock))
	if err != nil {
		t.Fatal(err)
	}
	ask := asking(t, c)
	clock.Add(int64(fetchEvery))
	for _, step := range []struct {
		name     string
		do       func()
		want     string
		requests int64
	}{
		{"at first", func() {}, "", 1},
		{"rotated", func() { m.set("openai", "sk-new"); taken.Store("sk-new") }, "", 2},
		{"from then on", func() {}, "", 1},
		{"refused for good", func() { taken.Store("sk-other") }, "the model provider denied access (HTTP 401)", 1},
		{"and read in vain", func() { clock.Add(int64(fetchEvery)) }, "the model provider denied access (HTTP 401)", 1},
	} {
		step.do()
		before := asked.Load()
		got := ask(t.Context())
		if got != step.want || asked.Load()-before != step.requests {
			t.Errorf("%s: got %q after %d requests, want %q after %d", step.name, got, asked.Load()-before, step.want, step.requests)
		}
	}
	if n := m.count("openai"); n != 3 {
		t.Errorf("the secret was read %d times, want 3", n)
	}
}

// asking asks the configured model one question and returns what went wrong.
func asking(t *testing.T, c Config) func(context.Context) string {
	t.Helper()
	asker, _, err := newAsker(c.Model, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) string {
		if _, err := asker.Model.Answer(ctx, question); err != nil {
			return err.Error()
		}
		return ""
	}
}
