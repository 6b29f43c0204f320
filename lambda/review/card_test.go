package review_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/record"
)

var maintenance = strings.Replace(emptyCard, `"type": ""`, `"type": "maintenance agreement"`, 1)

// asked collects the questions about passages.
func (r *rig) asked() func() []string {
	var mu sync.Mutex
	var users []string
	r.model.see = func(q llm.Question) {
		mu.Lock()
		defer mu.Unlock()
		if q.Name == "review_passage" {
			users = append(users, q.User)
		}
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return users
	}
}

// run delivers everything that is sent, to the end.
func (r *rig) run() {
	r.Helper()
	for n := 0; len(r.sent) > 0 && n < 10; n++ {
		r.deliver(3)
	}
}

// The other chunks wait for the card, and every question has it.
func TestCardComesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newWaitingRig(t, manyClauses)
		cards := 0
		r.model.card = func() (string, error) { cards++; return maintenance, nil }
		users := r.asked()
		chunks := r.store.Job(r.id).Chunks
		if len(r.sent) != 1 || chunks < 3 {
			t.Fatalf("%d of %d chunks are published at first", len(r.sent), chunks)
		}
		r.deliver(1)
		if len(r.sent) != chunks-1 {
			t.Errorf("%d chunks are published with the card, want %d", len(r.sent), chunks-1)
		}
		r.run()
		r.wantStatus(record.Completed)
		for _, u := range users() {
			if !strings.Contains(u, "read from the whole contract:\n<<<card\nType: maintenance agreement") {
				t.Fatalf("a question lacks the card:\n%.300s", u)
			}
		}
		if cards != 1 {
			t.Errorf("the card was asked for %d times", cards)
		}
	})
}

// Without the card the review goes on with the rules' facts, and says so; a retry asks for
// nothing but the card.
func TestFailedCardIsGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newWaitingRig(t, manyClauses)
		r.model.card = func() (string, error) { return "", failure.Permanently("HTTP 400") }
		users := r.asked()
		r.run()
		r.wantStatus(record.CompletedWithGaps)
		first, gaps := r.store.Chunks(r.id)[0], r.store.Job(r.id).Gaps
		if first.Status != job.StatusFailed || !strings.Contains(first.Error, "stage card: ") || gaps != 1 {
			t.Errorf("%d gaps, the first chunk is %s: %s", gaps, first.Status, first.Error)
		}
		for _, u := range users() {
			if !strings.Contains(u, "read by rules alone") {
				t.Fatalf("a question doesn't say that the card is missing:\n%.300s", u)
			}
		}
		before := len(users())
		r.model.card = func() (string, error) { return maintenance, nil }
		r.sent = r.store.Retry(r.id)
		r.run()
		r.wantStatus(record.Completed)
		if again := len(users()) - before; again != 0 {
			t.Errorf("the retry asked %d other questions", again)
		}
	})
}

// An answer about the card that is paid for isn't bought again when the chunks couldn't be
// published after it.
func TestCardIsBoughtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newWaitingRig(t, manyClauses)
		cards := 0
		r.model.card = func() (string, error) { cards++; return maintenance, nil }
		r.store.Fail = func(method string) error {
			if method == "Open" {
				return &failure.Error{Kind: failure.Transient, Sentence: "the database is away"}
			}
			return nil
		}
		message := r.sent
		if got := r.deliver(1)[0]; got.Action != job.Retry {
			t.Errorf("the delivery ended with %+v", got)
		}
		r.store.Fail = nil
		r.sent = message
		r.run()
		r.wantStatus(record.Completed)
		if cards != 1 {
			t.Errorf("the card was bought %d times", cards)
		}
	})
}
