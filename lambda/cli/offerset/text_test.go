package offerset

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

func id(n byte) uuid.UUID { return uuid.UUID{0: 0xc0, 15: n} }

// Sets and explanations in every state, as people read them.
func TestText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 29, 7, 0, 0, 0, time.UTC)
	long := strings.Repeat("long ", 20) + "\x1b[31m"
	job := report.OfferJob{ID: id(1), Tenant: id(2), User: id(3), Name: "Jonas\x07", Zone: "Europe/Berlin", Status: "completed", OfferedAt: at.In(time.FixedZone("", 7200)),
		ExpiresAt: at.AddDate(0, 0, 1), Offers: []byte(`[{"candidate_id":"` + id(4).String() + `","rank":1,"score":7,"terms":[{"term":"interests","points":5},{"term":"age","points":0},{"term":"lot","points":2}]}]`)}
	set := must.Get(Of(job, map[uuid.UUID]string{id(4): "Mara"}))(t)
	var p term.Page
	set.Print(&p)
	none, nameless, failed := set, set, set
	none.Offers, nameless.Name, nameless.Offers = nil, "", []UserPick{{Offer: set.Offers[0].Offer}}
	failed.Status, failed.Error, failed.Offers = "failed", long, nil
	for _, s := range []UserSet{none, nameless, failed} {
		s.Print(&p)
	}
	out := p.String() + string(must.Get(json.MarshalIndent(set, "", " "))(t)) + "\n"
	job.Offers = []byte("7")
	if broken, err := Of(job, nil); err == nil || len(broken.Offers) != 0 {
		t.Errorf("an invalid set: %+v", broken)
	}
	job.Offers = nil
	if got := must.Get(Offers(job))(t); got != nil {
		t.Errorf("without a set: %v", got)
	}

	same, differs := true, false
	full := Explained{UserSet: set, Date: 20541, Tenant: id(2).String(), Roster: strings.Repeat("ab", 32), Algorithm: 4, Same: &same}
	terms := set.Offers[0].Terms
	for i := range byte(21 + 3) {
		c := Reason{Candidate: id(100 + i), Name: fmt.Sprint("User ", i), Verdict: ranking.Filtered, Filter: []string{"kind", "age", "distance", "age"}[i%4], Reason: fmt.Sprint("because ", i)}
		full.Candidates = append(full.Candidates, c)
	}
	for i, v := range []ranking.Verdict{ranking.Offered, ranking.Lower, ranking.NotAdmitted, ranking.Yielded, ranking.Unreadable, ranking.Offered} {
		full.Candidates = append(full.Candidates, Reason{Candidate: id(50 + byte(i)), Name: []string{"", long}[i%2], Verdict: v, Rank: i, Score: 9, Terms: terms, Reason: []string{"one; the note", "alone"}[i/5]})
	}
	for _, change := range []func(e *Explained){
		func(*Explained) {},
		func(e *Explained) { e.Same = &differs },
		func(e *Explained) { e.Same, e.Candidates = nil, full.Candidates[:1] },
		func(e *Explained) { e.Candidates = full.Candidates[:2] },
		func(e *Explained) { e.Problem, e.Candidates, e.Name, e.Error = "roster damaged", nil, "", long },
		func(e *Explained) { e.Status, e.Error = "skipped", "nobody was there" },
		func(e *Explained) { e.only(id(101)) },
		func(e *Explained) { e.only(id(3)) },
		func(e *Explained) { e.only(id(99)) },
		func(e *Explained) { e.Problem = "roster damaged"; e.only(id(101)) },
	} {
		e := full
		change(&e)
		out += fmt.Sprintf("== reproduced %t\n%s", e.Reproduced(), e.Text())
	}
	for _, text := range []string{"", "x", id(5).String()} {
		candidate, err := ParseCandidate(text)
		out += fmt.Sprintln("candidate", text, candidate != nil && *candidate == id(5), err)
	}
	out += fmt.Sprintln(NoJob(id(6)))
	golden.Compare(t, "text.txt", out)
}

// A stored set is equal whatever white space the database has put into it, and only then.
func TestSameSet(t *testing.T) {
	t.Parallel()
	computed := []ranking.Offer{{Candidate: id(4), Rank: 1, Score: 7}}
	stored := string(must.Get(json.Marshal(computed))(t))
	for text, want := range map[string]bool{stored: true, strings.ReplaceAll(stored, ",", " , "): true, strings.Replace(stored, `"score":7`, `"score":7.0`, 1): false,
		"[]": false, "": false, "{": false} {
		if got := sameSet([]byte(text), computed); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
