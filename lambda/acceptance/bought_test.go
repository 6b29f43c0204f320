package acceptance_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// purchases are the questions to a scripted model. Whatever dies, none is asked while
// a usable answer is in storage.
type purchases struct {
	t    *testing.T
	pool *pgxpool.Pool

	mu    sync.Mutex
	asked []scripted.Question
	again int // asked although the answer was in storage
}

func newPurchases(t *testing.T, url string) *purchases {
	t.Helper()
	pool := must.Get(pgxpool.New(t.Context(), url))(t)
	t.Cleanup(pool.Close)
	return &purchases{t: t, pool: pool}
}

// note notes a question, and returns how many there were. A Mind calls it.
func (p *purchases) note(q scripted.Question) int {
	stored := p.stored(q)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again += stored
	p.asked = append(p.asked, q)
	return len(p.asked)
}

func (p *purchases) stored(q scripted.Question) (n int) {
	err := p.pool.QueryRow(context.Background(),
		"SELECT count(*) FROM model_answer WHERE question = $1 AND unusable = ''", hashOf(p.t, q)).Scan(&n)
	if err != nil {
		p.t.Error(err)
	}
	return n
}

// kept counts the usable answers to all questions.
func (p *purchases) kept() (n int) {
	seen := map[string]bool{}
	for _, q := range p.asked {
		if id := q.Name + q.User; !seen[id] {
			seen[id] = true
			n += p.stored(q)
		}
	}
	return n
}

// hashOf returns the hash under which the answer to a question is stored.
func hashOf(t *testing.T, q scripted.Question) []byte {
	key := &keyOf{}
	asker := llm.Asker{Model: unasked{}, Vault: key}
	_ = asker.Ask(t.Context(), testTenant, uuid.Nil,
		llm.Question{Name: q.Name, System: q.System, User: q.User, Schema: q.Schema}, func(string) error { return nil })
	return key.Prompt[:]
}

// keyOf is a vault that notes the key of a question.
type keyOf struct {
	llm.Vault
	llm.Key
}

func (k *keyOf) FindAnswer(_ context.Context, key llm.Key) (int64, string, bool, error) {
	k.Key = key
	return 0, "", true, nil
}

type unasked struct{}

func (unasked) Name() string { return "" }

func (unasked) Answer(context.Context, llm.Question) (llm.Answer, error) {
	return llm.Answer{}, errors.New("nothing is asked here")
}
