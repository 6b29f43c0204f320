package review_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// A transient failure of the analyst that is asked alone takes the chunk back to the queue; the next
// delivery asks that analyst only.
func TestRedeliveryResumes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			switch {
			case s == "termination" && n == 1:
				return "", errLeftOut
			case s == "termination" && n <= 5:
				return "", unavailable
			}
			return answer(ctx, s, n)
		}
		message := r.sent
		if got := r.deliver(1)[0]; got.Action != job.Retry || got.Visibility != 5*time.Minute {
			t.Fatalf("the first delivery ended with %+v", got)
		}
		calls := len(r.model.calls)
		r.sent = message
		if got := r.deliver(2)[0]; got.Action != job.Ack {
			t.Fatalf("the second delivery ended with %+v", got)
		}
		if again := r.model.calls[calls:]; len(again) != 1 || !slices.Equal(again[0].stages, []record.Stage{"termination"}) {
			t.Errorf("asked again: %v", again)
		}
		r.wantStatus(record.Running) // the whole contract is published
		r.deliver(1)
		r.wantStatus(record.Completed)
		for key, n := range r.store.Bought {
			if n != 1 {
				t.Errorf("the answer to question %x was bought %d times", key.Prompt[:4], n)
			}
		}
		found := r.store.Findings(r.id)
		n := slices.IndexFunc(found, func(f record.Finding) bool { return f.Analyst != "renewal" })
		if n != 1 || found[1].Quote != "" || found[1].Analyst != "contract" {
			t.Errorf("found %+v; want the renewal once, then the clauses that are missing", found)
		}
	})
}

func TestCallBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(context.Context, record.Stage, int) (string, error) { return "", unavailable }
		if got := r.deliver(1)[0]; got.Action != job.Retry {
			t.Errorf("the delivery ended with %+v", got)
		}
		least, most := time.Duration(0), time.Duration(0)
		for n, c := range r.model.calls {
			if c.stages[0] != record.Categories || c.at < least || c.at > most {
				t.Errorf("call %d: %s after %s, want one of %s to %s", n+1, c.stages, c.at, least, most)
			}
			wait := time.Second << n
			least, most = least+wait, most+wait+wait/4
		}
		if len(r.model.calls) != 4 {
			t.Errorf("%d calls, want 4", len(r.model.calls))
		}
	})
}

// A call in flight is stopped within a second, and nothing is found any more.
func TestCancelStopsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			switch {
			case s == "termination" && n == 1:
				return "", errLeftOut
			case s == "termination":
				if err := took(ctx, time.Minute); err != nil {
					return "", err
				}
			}
			return answer(ctx, s, n)
		}
		cancelled := time.Now().Add(1500 * time.Millisecond)
		time.AfterFunc(time.Until(cancelled), func() { r.store.Cancel(r.id) })
		if got := r.deliver(1)[0]; got.Action != job.Ack {
			t.Errorf("the delivery ended with %+v", got)
		}
		if late := time.Since(cancelled); late > time.Second {
			t.Errorf("it stood still %s after the cancellation", late)
		}
		r.wantStatus(record.Cancelled)
		chunk := r.store.Chunks(r.id)[0]
		if chunk.Status != job.StatusCancelled || chunk.Stage != "cancelled-at-stage-3" {
			t.Errorf("the chunk is %s, %s", chunk.Status, chunk.Stage)
		}
		outcomes := r.store.Outcomes(chunk.ID)
		if outcomes[record.Categories] != record.Done || outcomes["renewal"] != record.Done ||
			outcomes["termination"] != "cancelled-at-stage-3" {
			t.Errorf("the stages ended as %v", outcomes)
		}
		if n := len(r.store.Findings(r.id)); n != 1 {
			t.Errorf("%d findings, want the one before the cancellation", n)
		}
	})
}

// A cancelled chunk is not tried again, although one of its stages might be.
func TestCancelIsNotRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			switch s {
			case "renewal":
				if n == 1 {
					return "", errLeftOut
				}
				return "", unavailable
			case "termination":
				if n == 1 {
					return "", errLeftOut
				}
				return "", took(ctx, time.Minute)
			}
			return answer(ctx, s, n)
		}
		time.AfterFunc(15*time.Second, func() { r.store.Cancel(r.id) })
		if got := r.deliver(1)[0]; got.Action != job.Ack {
			t.Errorf("the delivery ended with %+v", got)
		}
		r.wantStatus(record.Cancelled)
	})
}

// An answer that comes back when the review was just cancelled adds nothing.
func TestNoFindingAfterCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s == "renewal" { // the last one to answer
				if err := took(ctx, time.Second/2); err != nil {
					return "", err
				}
				r.store.Cancel(r.id)
			}
			return answer(ctx, s, n)
		}
		r.deliver(1)
		r.wantStatus(record.Cancelled)
		if found := r.store.Findings(r.id); slices.ContainsFunc(found, func(f record.Finding) bool { return f.Analyst == "renewal" }) {
			t.Errorf("found after the cancellation: %+v", found)
		}
		if chunk := r.store.Chunks(r.id)[0]; chunk.Stage != "cancelled-at-stage-1" {
			t.Errorf("the chunk is %s, %s", chunk.Status, chunk.Stage)
		}
	})
}

// The review is cancelled after the claim of the chunk, and before its first call.
func TestNoCallAfterCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.store.Fail = func(method string) error {
			if method == "Begin" {
				r.store.Cancel(r.id)
			}
			return nil
		}
		if got := r.deliver(1)[0]; got.Action != job.Ack || len(r.model.calls) > 0 {
			t.Errorf("the delivery ended with %+v after %d calls", got, len(r.model.calls))
		}
		if chunk := r.store.Chunks(r.id)[0]; chunk.Stage != "cancelled-at-stage-0" {
			t.Errorf("the chunk is %s, %s", chunk.Status, chunk.Stage)
		}
	})
}

// A provider's Retry-After holds for every worker: the store has it.
func TestProviderPauseIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		must.OK(t, r.store.Pause(t.Context(), "test", 20*time.Second)) // by another worker
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s == "renewal" && n == 1 {
				return "", rateLimit(10 * time.Second)
			}
			return answer(ctx, s, n)
		}
		if got := r.deliver(1)[0]; got.Action != job.Ack {
			t.Fatalf("the delivery ended with %+v", got)
		}
		if first := r.model.calls[0].at; first < 20*time.Second {
			t.Errorf("the first call was made after %s, within the pause", first)
		}
		if got := r.model.asked("renewal"); got != 2 {
			t.Errorf("renewal was asked %d times", got)
		}
	})
}

// The provider's wait for one chunk is recorded for all others.
func TestRateLimitPausesOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, manyClauses)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s == record.Categories && n == 1 {
				return "", rateLimit(10 * time.Second)
			}
			if err := took(ctx, time.Second); err != nil {
				return "", err
			}
			return answer(ctx, s, n)
		}
		r.deliver(1)
		for _, c := range r.model.calls {
			if c.at > 0 && c.at < 10*time.Second {
				t.Errorf("%s was asked after %s, within the pause", c.stages, c.at)
			}
		}
	})
}

// A pause that others met is left to the queue as well, and not waited for.
func TestOthersLongPauseIsQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		must.OK(t, r.store.Pause(t.Context(), "test", 20*time.Minute))
		got := r.deliver(1)[0]
		if waited := time.Since(r.model.began); got.Action != job.Retry || got.Visibility < 20*time.Minute || waited > 0 {
			t.Errorf("the delivery ended with %+v after %s", got, waited)
		}
	})
}

// A pause longer than a delivery can wait is the queue's: no call is made before.
func TestLongPauseIsQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(context.Context, record.Stage, int) (string, error) { return "", rateLimit(20 * time.Minute) }
		if got := r.deliver(1)[0]; got.Action != job.Retry || got.Visibility < 20*time.Minute {
			t.Errorf("the delivery ended with %+v", got)
		}
		if len(r.model.calls) != 1 {
			t.Errorf("%d calls", len(r.model.calls))
		}
	})
}

// The first question fits into the budget, the analysts' do not: what was read
// stays, and the gap has its reason.
func TestSpentBudgetIsGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		request := oneClause
		request.Budget = 1 // a millionth of a dollar
		r := newRig(t, request)
		if got := r.deliver(1)[0]; got.Action != job.Ack || len(r.model.calls) > 0 {
			t.Errorf("the delivery ended with %+v after %d calls", got, len(r.model.calls))
		}
		chunk := r.store.Chunks(r.id)[0]
		if chunk.Status != job.StatusFailed || chunk.Stage != "card" || strings.Contains(chunk.Error, "spent") ||
			!strings.HasSuffix(chunk.Error, "but USD 0.0000 of the review's budget are left") {
			t.Errorf("the chunk is %s at %s: %s", chunk.Status, chunk.Stage, chunk.Error)
		}
		if outcome := r.store.Outcomes(chunk.ID)[record.Categories]; outcome != record.StageFailed {
			t.Errorf("the question's outcome is %q", outcome)
		}
		r.wantStatus(record.Failed)
	})
}

// The budget covers every call, though not what all of them reserve at once: a call waits for
// the others to release it.
func TestCallAwaitsBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.store.jobs[r.id].Budget = 90_000 // an analyst reserves 41,000 and costs 200
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s != record.Categories && n == 1 && s != record.Contract {
				return "", errLeftOut
			}
			if err := took(ctx, 3*time.Second); err != nil {
				return "", err
			}
			return answer(ctx, s, n)
		}
		r.deliver(1)
		r.deliver(1)
		r.wantStatus(record.Completed)
		if r.model.most != 2 || r.store.Job(r.id).Calls != 6 {
			t.Errorf("%d calls at once, %d in all; want 2 and 6", r.model.most, r.store.Job(r.id).Calls)
		}
	})
}

// The rest of the budget is reserved by a worker that died: the queue tries again, and nothing
// says that the money is spent.
func TestReservedIsNotSpent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		review := r.store.jobs[r.id]
		review.Budget, review.reserved = 1_000_000, 1_000_000
		if got := r.deliver(1)[0]; got.Action != job.Retry {
			t.Errorf("the delivery ended with %+v", got)
		}
		if chunk := r.store.Chunks(r.id)[0]; !strings.Contains(chunk.Error, "reserved by calls in flight") {
			t.Errorf("the reason is %q", chunk.Error)
		}
	})
}

func TestSlotsBoundCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, manyClauses)
		r.Slots = make(chan struct{}, 5)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if err := took(ctx, time.Second); err != nil {
				return "", err
			}
			return answer(ctx, s, n)
		}
		r.deliver(1)
		if r.model.most != 5 {
			t.Errorf("%d calls were in flight at once, want 5", r.model.most)
		}
		r.deliver(1)
		r.wantStatus(record.Completed)
	})
}

// The runtime's recover covers its own goroutine only.
func TestPanicFailsOneChunk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s == "renewal" && n == 1 {
				return "", errLeftOut
			} else if s == "renewal" {
				panic("broken")
			}
			return answer(ctx, s, n)
		}
		if got := r.deliver(1)[0]; got.Action != job.Ack || got.Write != job.StatusFailed {
			t.Errorf("the delivery ended with %+v", got)
		}
		if got := r.store.Outcomes(r.store.Chunks(r.id)[0].ID); got["termination"] != record.Done {
			t.Errorf("the stages ended as %v", got)
		}
	})
}

// A worker that has lost its chunk stops its calls, and writes nothing.
func TestLostFenceStopsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s != record.Categories && n == 1 {
				return "", errLeftOut
			}
			if s == "renewal" { // another attempt claims the chunk
				r.store.Take(r.store.Chunks(r.id)[0].ID)
			} else if s != record.Categories {
				if err := took(ctx, time.Minute); err != nil {
					return "", err
				}
			}
			return answer(ctx, s, n)
		}
		began := time.Now()
		if got := r.deliver(1)[0]; got.Action != job.Retry || time.Since(began) > 2*time.Second {
			t.Errorf("the delivery ended with %+v after %s", got, time.Since(began))
		}
		if n := len(r.store.Findings(r.id)); n != 0 {
			t.Errorf("%d findings of an attempt without its fence", n)
		}
	})
}

// While one write is under way, the stages that end wait for the next one.
func TestStagesShareTransaction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		writes := 0
		r.store.Fail = func(method string) error {
			if method != "Record" {
				return nil
			}
			writes++
			return nil
		}
		r.store.Slow = 10 * time.Millisecond
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s != record.Categories && n == 1 {
				return "", errLeftOut
			}
			return answer(ctx, s, n)
		}
		r.deliver(1)
		if writes != 4 { // the card; the call of all; the analyst that is first alone; the others
			t.Errorf("%d writes, want 4", writes)
		}
	})
}

// The passage is sent once. What its answer leaves out is asked alone, and what has invented quotes
// isn't; each is a gap alone, and a retry asks for nothing else.
func TestTasksShareCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		wrong := true
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			switch {
			case s == "termination" && n == 1:
				return "", errLeftOut
			case s == "renewal" && wrong:
				return strings.Replace(must.Get(answer(ctx, "renewal", n))(t), "It renews for", "It never renews for", 1), nil
			}
			return answer(ctx, s, n)
		}
		r.read()
		r.wantStatus(record.CompletedWithGaps)
		calls := r.model.calls
		if len(calls) != 3 || len(calls[0].stages) != 4 || !slices.Equal(calls[1].stages, []record.Stage{"termination"}) {
			t.Errorf("the calls are %v", calls)
		}
		for stage, outcome := range r.store.Outcomes(r.store.Chunks(r.id)[0].ID) {
			if (outcome == record.Done) != (stage != "renewal") {
				t.Errorf("%s is %s", stage, outcome)
			}
		}
		wrong = false
		r.sent = r.store.Retry(r.id)
		r.read()
		r.wantStatus(record.Completed)
		if again := r.model.calls[len(calls):]; len(again) != 2 || !slices.Equal(again[0].stages, []record.Stage{"renewal"}) {
			t.Errorf("the retry asked %v", again)
		}
		if got := r.store.Job(r.id); got.Calls != len(r.model.calls)+1 { // the card
			t.Errorf("%d calls are counted", got.Calls)
		}
	})
}

// read reads the contract, and then as a whole, which the sweep publishes after a failure.
func (r *rig) read() {
	r.Helper()
	r.deliver(1)
	if len(r.sent) == 0 {
		<-time.After(time.Second)
		r.sent = r.store.Sweep(0)
	}
	r.deliver(1)
}

// A call that is refused for good says nothing about its tasks: each is asked alone.
func TestRefusedCallIsDivided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
			if s == "renewal" {
				return "", failure.Permanently("the answer was cut off")
			}
			return answer(ctx, s, n)
		}
		r.read()
		r.wantStatus(record.CompletedWithGaps)
		for stage, outcome := range r.store.Outcomes(r.store.Chunks(r.id)[0].ID) {
			if (outcome == record.Done) != (stage != "renewal") {
				t.Errorf("%s is %s", stage, outcome)
			}
		}
	})
}

func TestBudgetNeedsAPrice(t *testing.T) {
	t.Parallel()
	request := oneClause
	request.Budget = 1
	s := review.Starter{Store: newMemory(), Model: "test"}
	if _, err := s.Start(t.Context(), request); err == nil || !strings.Contains(err.Error(), "price of the model") {
		t.Errorf("got %v", err)
	}
}

func TestNoModelNoCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, oneClause)
		r.Model = nil
		r.deliver(1)
		r.deliver(1)
		r.wantStatus(record.Completed)
		if len(r.model.calls) > 0 {
			t.Errorf("%d calls", len(r.model.calls))
		}
	})
}

func (r *rig) wantStatus(want record.Status) {
	r.Helper()
	if got := r.store.Job(r.id); got.Status != want {
		r.Errorf("the review is %s, want %s", got.Status, want)
	}
}

// numbered returns a contract with the clauses n times, no two chunks alike.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Schedule %d. %s\n\n", i+1, oneClause.Text)
	}
	return b.String()
}

var (
	oneClause = review.Request{Name: "one.txt", Text: "12. Termination. Either party may terminate this agreement " +
		"on thirty days' written notice. It renews for further terms of one year unless notice is given. " +
		"Liability is not limited in any way."}
	manyClauses = review.Request{Name: "many.txt", Text: numbered(100)}
)

// The termination is in the chunk that fails at first: when the review was started
// again, its absence is no finding any more.
func TestRetryWithdrawsMissing(t *testing.T) {
	t.Parallel()
	for name, byRules := range map[string]bool{"by rules": true, "by a model": false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, review.Request{Name: "two.txt",
				Text: strings.Repeat("Nothing is agreed here, not even this. ", 150) + "\n\n" + oneClause.Text})
			if byRules {
				r.Model, r.store.jobs[r.id].Model = nil, ""
			}
			r.model.answer = func(ctx context.Context, s record.Stage, n int) (string, error) {
				if s == record.Categories && n == 1 { // the first part has no clause
					return `{"clauses": []}`, nil
				}
				return answer(ctx, s, n)
			}
			chunks := r.sent
			if len(chunks) != 2 {
				t.Fatalf("%d chunks, want 2", len(chunks))
			}
			one := func(message []job.Stamped) {
				r.sent = message
				r.deliver(1)
			}
			r.store.Fail = func(method string) error {
				if method == "Begin" {
					return failure.Permanently("the disk is full")
				}
				return nil
			}
			one(chunks[1:])
			r.store.Fail = nil
			one(chunks[:1])
			r.deliver(1)
			r.wantStatus(record.CompletedWithGaps)
			one(r.store.Retry(r.id))
			r.deliver(1)
			r.wantStatus(record.Completed)
			withdrawn, holds := 0, 0
			for _, f := range r.store.Findings(r.id) {
				switch ofTermination := f.Category == record.Termination && f.Analyst == "contract"; {
				case f.Withdrawn && strings.HasSuffix(f.Title, "(in the parts that were read)"),
					f.Withdrawn && f.Analyst == whole.Doubts && !byRules && f.Category == record.Termination:
					withdrawn++ // the rules saw the termination in the part that the model hadn't read
				case f.Withdrawn, ofTermination, strings.HasSuffix(f.Title, "(in the parts that were read)"):
					t.Errorf("%s: found %+v", name, f)
				case f.Analyst == "contract":
					holds++
				}
			}
			if withdrawn != holds+1 || holds == 0 {
				t.Errorf("%s: %d missing clauses are withdrawn and %d hold, want one more", name, withdrawn, holds)
			}
		})
	}
}
