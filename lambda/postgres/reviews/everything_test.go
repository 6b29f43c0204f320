package reviews_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// All that people do about findings, and what is stored of it, is as it was.
func TestEverything(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	duplicate, second := weighed(record.High, 4, "cap"), weighed(record.Critical, 2, "term")
	review := r.finished(weighed(record.High, 4, "cap"), second, weighed(record.Low, 1, ""), duplicate)
	r.Advance(time.Minute)
	doc := postgrestest.Value[uuid.UUID](t, r.Conn, "SELECT document_id FROM review_job WHERE id = $1", review)
	var got strings.Builder
	changes := r.Changes()
	say := func(what string, value any, err error) {
		t.Helper()
		fmt.Fprintf(&got, "%s\n\t= %s %v %s\n%s", what, must.Get(json.Marshal(value))(t), err, unwrapped(err), changes())
		r.Advance(time.Minute)
	}
	act := func(ref string, kind record.ActionKind, text string, form int, seen *int64) {
		t.Helper()
		a := record.Request{Action: record.Action{Kind: kind, Text: text, By: "anna", Origin: "console"}, Form: postgrestest.Num(form), Seen: seen}
		d, err := r.store.Act(t.Context(), review, must.Get(record.ParseRef(ref))(t), a)
		say(fmt.Sprintf("%s %s %q %d", ref, kind, text, form), d, err)
	}
	var none, old int64 = 0, 1
	act("F1", record.Comment, "why?", 1, &none)
	act("F1", record.Accept, "", 2, nil)
	act("F1", record.Accept, "", 2, nil)
	act("F1", record.Accept, "", 3, nil)
	act("F1", record.Reject, "it's capped", 2, nil)
	act("F1", record.Reject, "it's capped", 4, &old)
	act("F1", record.Comment, "late", 5, &old)
	act("F1", record.Reject, "it's capped", 6, nil)
	act("F2", record.Assign, "ben", 7, nil)
	act("F2", record.Reject, "no\x00 risk", 8, nil)
	act("1", record.Accept, "", 9, nil)
	act("4", record.Accept, "", 10, nil)
	act("9", record.Accept, "", 11, nil)
	act("F9", record.Accept, "", 12, nil)
	act("F1", record.Reopen, "", 13, nil)
	actions, err := r.store.Actions(t.Context(), review)
	say("actions", actions, err)
	latest, err := r.store.Latest(t.Context(), doc)
	say("the latest", latest, err)
	_, err = r.store.Latest(t.Context(), review)
	say("the latest of another document", nil, err)
	_, err = r.store.Actions(t.Context(), doc)
	say("actions of another review", nil, err)
	r.Exec("UPDATE review_finding SET withdrawn = true WHERE seq = 3")
	act("3", record.Accept, "", 14, nil)
	review = doc
	act("1", record.Accept, "", 15, nil)
	golden.Compare(t, "everything.txt", got.String())
}

// unwrapped names the error that callers ask for.
func unwrapped(err error) string {
	for name, is := range map[string]error{"obsolete": record.ErrObsolete, "changed": record.ErrChanged, "unknown": job.ErrNotFound} {
		if errors.Is(err, is) {
			return name
		}
	}
	return ""
}
