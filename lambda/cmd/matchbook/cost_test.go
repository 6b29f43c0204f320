package main

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const (
	tenantA = "10000000-0000-4000-8000-000000000001"
	tenantB = "20000000-0000-4000-8000-000000000001"

	miniModel  = "gpt-4.1-mini temperature=0 seed=1"
	localModel = "llama3.1:8b@ollama:11434 temperature=0"
	embedder   = "text-embedding-3-small dimensions=256"
)

// till is a database in which things are bought.
type till struct {
	*postgres.DB
	t   *testing.T
	url string
	n   int
}

func newTill(t *testing.T) *till {
	t.Helper()
	url := postgrestest.URL(t)
	c := &till{postgrestest.Open(t, url), t, url, 0}
	for _, tenant := range []string{tenantA, tenantB} {
		add(t, c.DB, postgres.Imported{ID: uuid.New(), TenantID: uuid.MustParse(tenant), Type: document.Invoice, Data: json.RawMessage("{}")})
	}
	return c
}

func (c *till) exec(sql string, args ...any) {
	c.t.Helper()
	postgrestest.Exec(c.t, postgrestest.Conn(c.t, c.url), sql, args...)
}

// asked buys an answer on a day.
func (c *till) asked(tenant, day, model string, prompt, completion, replays int, unusable string) {
	c.t.Helper()
	c.n++
	k := llm.Key{Tenant: uuid.MustParse(tenant), Model: model, Prompt: sha256.Sum256([]byte{byte(c.n)})}
	id := must.Get(c.KeepAnswer(c.t.Context(), k, uuid.New(), llm.Answer{Text: "{}", Usage: llm.Usage{PromptTokens: prompt, CompletionTokens: completion}}, unusable))(c.t)
	c.exec("UPDATE model_answer SET asked_at = $2, replays = $3 WHERE id = $1", id, day+"T23:59:59Z", replays)
}

// embedded buys embeddings on a day.
func (c *till) embedded(tenant, day, model string, n, tokens, replays int) {
	c.t.Helper()
	vectors := make(map[string]llm.Vector)
	var hashes [][]byte
	for range n {
		c.n++
		hashes = append(hashes, []byte{byte(c.n)})
		vectors[string(hashes[len(hashes)-1])] = llm.Vector{1}
	}
	must.OK(c.t, c.KeepVectors(c.t.Context(), uuid.MustParse(tenant), model, vectors, llm.Usage{PromptTokens: tokens}))
	c.exec("UPDATE model_embedding SET created_at = $1, replays = $2 WHERE text_hash = ANY ($3)", day+"T00:00:00Z", replays, hashes)
}

// spend has the purchases of the tests below.
func spend(t *testing.T) *till {
	t.Helper()
	c := newTill(t)
	c.asked(tenantA, "2026-03-02", miniModel, 10_000, 500, 3, "")
	c.asked(tenantA, "2026-03-02", miniModel, 20_000, 250, 0, "it is no JSON")
	c.asked(tenantA, "2026-03-03", miniModel, 1_000_000, 0, 0, "")
	c.asked(tenantA, "2026-03-03", localModel, 5_000, 100, 2, "")
	c.embedded(tenantA, "2026-03-02", embedder, 3, 1_000, 4)
	c.asked(tenantB, "2026-03-03", "o4-mini seed=1", 10, 10, 0, "")
	return c
}

func TestCostText(t *testing.T) {
	t.Parallel()
	want := `
TENANT 10000000-0000-4000-8000-000000000001
  day         model                                   calls  unusable   prompt  completion  embedded  tokens      USD   calls saved  emb. saved  USD saved
  2026-03-02  gpt-4.1-mini temperature=0 seed=1           2         1    30000         750                     0.0132             3                 0.0144
              text-embedding-3-small dimensions=256                                                3    1000  <0.0001                        12    <0.0001
  2026-03-03  gpt-4.1-mini temperature=0 seed=1           1         0  1000000           0                     0.4000             0                 0.0000
              llama3.1:8b@ollama:11434 temperature=0      1         0     5000         100                          -             2                      -
  sum                                                     4         1  1035000         850         3    1000   0.4132+            5          12     0.0145+

TENANT 20000000-0000-4000-8000-000000000001
  day         model                                   calls  unusable   prompt  completion  embedded  tokens      USD   calls saved  emb. saved  USD saved
  2026-03-03  o4-mini seed=1                              1         0       10          10                    <0.0001             0                 0.0000
  sum                                                     1         0       10          10                    <0.0001             0                 0.0000

ALL
  day         model                                   calls  unusable   prompt  completion  embedded  tokens      USD   calls saved  emb. saved  USD saved
              gpt-4.1-mini temperature=0 seed=1           3         1  1030000         750                     0.4132             3                 0.0144
              llama3.1:8b@ollama:11434 temperature=0      1         0     5000         100                          -             2                      -
              o4-mini seed=1                              1         0       10          10                    <0.0001             0                 0.0000
              text-embedding-3-small dimensions=256                                                3    1000  <0.0001                        12    <0.0001
  sum                                                     5         1  1035010         860         3    1000   0.4133+            5          12     0.0145+

- is an unknown amount; + marks a sum that leaves some out. Missing prices:
  llama3.1:8b@ollama:11434 temperature=0
Prices  built in, of 2026-03: OpenAI's list prices of early 2026 for standard processing, as others
        quote them; they may have changed since.
        Discounts are not included, so the provider's bill counts. Use --prices FILE for your own
        prices.
Saved   is the price of reused answers and embeddings, on the day they were bought.
`
	wantText(t, printed(t, spend(t).url, "cost"), want)
}

func TestCostFilters(t *testing.T) {
	t.Parallel()
	c := spend(t)
	out := printed(t, c.url, "cost", "--tenant", tenantB, "--since", "2026-03-03")
	if !strings.HasPrefix(out, "TENANT "+tenantB+"\n  day         model           calls  unusable  prompt  completion      USD   calls saved  USD saved\n") ||
		strings.Contains(out, tenantA) || strings.Contains(out, "ALL") || strings.Contains(out, "not known") {
		t.Errorf("got\n%s", out)
	}
	const nothing = ": no answer and no embedding was bought.\n"
	wantText(t, printed(t, c.url, "cost", "--tenant", tenantB, "--since", "2026-03-04"), "Nothing was spent since 2026-03-04"+nothing)
	wantText(t, printed(t, c.url, "cost", "--since", "2031-01-01"), "Nothing was spent since 2031-01-01"+nothing)
	wantText(t, printed(t, newTill(t).url, "cost"), "Nothing was spent"+nothing)
}

func TestCostAsJSON(t *testing.T) {
	t.Parallel()
	c := spend(t)
	out := printed(t, c.url, "cost", "--json", "--since", "2026-03-01")
	r := decode[cost.Spent](t, out)
	if len(r.Days) != 5 || len(r.Tenants) != 2 || len(r.Models) != 4 || r.Since != "2026-03-01" || r.Prices.Date != "2026-03" || r.Prices.File != "" ||
		!slices.Equal(r.WithoutPrice, []string{localModel}) {
		t.Fatalf("got %s", out)
	}
	if local := r.Days[3]; local.Model != localModel || local.USD != nil || local.USDSaved != nil || !local.Incomplete || local.CallsSaved != 2 {
		t.Errorf("got %+v", local)
	}
	wantUSD := 30_000*0.40/1e6 + 750*1.60/1e6 + 1_000*0.02/1e6 + 1_000_000*0.40/1e6 + 10*1.10/1e6 + 10*4.40/1e6
	wantSaved := 3*(10_000*0.40/1e6+500*1.60/1e6) + 4*1_000*0.02/1e6
	if total := r.Total; math.Abs(*total.USD-wantUSD) > 1e-12 || math.Abs(*total.USDSaved-wantSaved) > 1e-12 || !total.Incomplete ||
		total.Calls != 5 || total.EmbeddingsSaved != 12 || total.EmbeddingTokens != 1000 {
		t.Errorf("got %+v, %v and %v; want %v and %v", total, *total.USD, *total.USDSaved, wantUSD, wantSaved)
	}
	wantIn(t, out, `"usd": null`, `"tenant_id": "`+tenantA+`"`)
	wantIn(t, printed(t, newTill(t).url, "cost", "--json"),
		`"days": []`, `"tenants": []`, `"models": []`, `"without_price": []`, `"usd": null`, `"incomplete": false`)
}

// A sum of nothing but what has no price is not known either.
func TestCostPrices(t *testing.T) {
	t.Parallel()
	c := spend(t)
	file := func(prices string) string {
		return clitest.File(t, "prices.json", `{"date":"2026-07-01","source":"our contract","usd_per_million_tokens":[`+prices+`]}`)
	}
	out := printed(t, c.url, "cost", "--prices", file(`{"model":"llama3.1","prompt":0,"completion":0}`))
	wantIn(t, strings.ReplaceAll(out, "\n        ", " "),
		"llama3.1:8b@ollama:11434 temperature=0      1         0     5000         100                    0.0000             2                 0.0000\n",
		"\n  gpt-4.1-mini temperature=0 seed=1\n  o4-mini seed=1\n  text-embedding-3-small dimensions=256\nPrices  ",
		"of 2026-07-01: our contract.",
		"0.0000+")
	if strings.Contains(out, "list prices") || strings.Contains(out, "--prices FILE") {
		t.Errorf("these prices are not built in:\n%s", out)
	}
	other := file(`{"model":"x","prompt":1,"completion":1}`)
	r := decode[cost.Spent](t, printed(t, c.url, "cost", "--json", "--prices", other))
	if r.Total.USD != nil || len(r.WithoutPrice) != 4 || r.Prices.File != other {
		t.Errorf("got %+v", r)
	}
	half := file(`{"model":"gpt-4.1-mini","prompt":1},{"model":"text-embedding-3-small","prompt":1,"completion":1}`) // half a price is none
	if r := decode[cost.Spent](t, printed(t, c.url, "cost", "--json", "--prices", half)); len(r.WithoutPrice) != 4 {
		t.Errorf("got %+v", r)
	}
}

func TestCostErrors(t *testing.T) {
	t.Parallel()
	c, empty := newTill(t), postgrestest.EmptyURL(t)
	prices := func(name, content string) string { return clitest.File(t, name, content) }
	with := func(list string) string { return `{"usd_per_million_tokens":[` + list + `]}` }
	for url, list := range map[string]clitest.Refusals{
		c.url: {
			{[]string{"x"}, `unexpected argument "x"`},
			{[]string{"--keep"}, "unset DATABASE_URL"},
			{[]string{"--since", "yesterday"}, `invalid --since "yesterday": expected a date such as 2026-03-01`},
			{[]string{"--since", "2026-02-30"}, `invalid --since "2026-02-30"`},
			{[]string{"--tenant", "acme"}, `invalid --tenant "acme": not a UUID`},
			{[]string{"--tenant", uuid.Nil.String()}, "expected the ID of a tenant"},
			{[]string{"--tenant", "30000000-0000-4000-8000-000000000001"}, "unknown tenant 30000000-0000-4000-8000-000000000001"},
			{[]string{"--prices", "/nowhere"}, "--prices: open /nowhere: no such file"},
		},
		empty: {
			{nil, "run matchbook migrate up"},
			{[]string{"--tenant", tenantA}, "run matchbook migrate up"},
		},
		"nonsense": {{nil, "invalid PostgreSQL URL"}},
		"": {
			{nil, "set DATABASE_URL, or use --keep"},
			{[]string{"--keep=/nowhere"}, "database not found in /nowhere"},
			{[]string{"--prices", prices("text", "free")}, "text: invalid JSON"},
			{[]string{"--prices", prices("more", with(`{"model":"x","prompt":1}`)+"{}")}, "more: invalid JSON"},
			{[]string{"--prices", prices("other", `{"gpt-4o": 2}`)}, `invalid price list: json: unknown field "gpt-4o"; see matchbook cost --help`},
			{[]string{"--prices", prices("none", `{}`)}, "missing usd_per_million_tokens"},
			{[]string{"--prices", prices("anonymous", with(`{"prompt":1}`))}, "missing model of price 1"},
			{[]string{"--prices", prices("space", with(`{"model":"a b","prompt":1}`))}, `invalid model "a b"`},
			{[]string{"--prices", prices("twice", with(`{"model":"a","prompt":1},{"model":"a","prompt":2}`))}, `duplicate price of "a"`},
			{[]string{"--prices", prices("empty", with(`{"model":"a"}`))}, `missing price of "a"`},
			{[]string{"--prices", prices("negative", with(`{"model":"a","prompt":-1}`))}, `negative price of "a"`},
		},
	} {
		wantRefused(t, url, "cost", list)
	}
}
