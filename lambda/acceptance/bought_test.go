package acceptance_test

import (
	"context"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/scripted"

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
		"SELECT count(*) FROM model_answer WHERE question = $1 AND unusable = ''", hashOf(q)).Scan(&n)
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
func hashOf(q scripted.Question) []byte {
	hash := llm.Question{Name: q.Name, System: q.System, User: q.User, Schema: q.Schema}.Hash()
	return hash[:]
}
