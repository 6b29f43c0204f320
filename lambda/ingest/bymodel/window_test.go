package bymodel

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// priced are the rows of an invoice with that many lines.
func priced(lines int) string {
	text := "Nordlicht GmbH\nRechnung RE-7\nBestellung 4500\nArtikel  Betrag"
	for i := range lines {
		text += fmt.Sprintf("\nPapier %d  1,00", i+1)
	}
	return text
}

var pricedRow = regexp.MustCompile(`(Papier \d+)  1,00`)

// readsRows answers the rows of a question, with a note of 400 characters on each.
func readsRows(t *testing.T) scripted.Mind {
	return func(q scripted.Question) string {
		var lines []string
		for _, m := range pricedRow.FindAllStringSubmatch(q.User, -1) {
			lines = append(lines, lineOf(m[0], m[1], "", "", "1.00"))
		}
		number, _, _ := strings.Cut(q.User, ":\n<<<page")
		a := answerOf(t, "["+number[strings.LastIndex(number, " ")+1:]+"]", map[string]string{
			"number": quoted("RE-7", "Rechnung RE-7"), "line_items": "[" + strings.Join(lines, ",") + "]",
			"references": `[{"type":"purchase-order","number":"4500","quote":"Bestellung 4500"}]`})
		return strings.Replace(a, `"missing_fields":[]`, `"missing_fields":["`+strings.Repeat("x", 400*len(lines))+`"]`, 1)
	}
}

// Six rows are too long an answer for the model, and so are five and three. The lower rows
// keep the head of the page, and a reference in it is read once.
func TestCutOffHalvesWindow(t *testing.T) {
	t.Parallel()
	r, server, _ := overHTTP(t, scripted.Options{MaxTokens: 560, Mind: readsRows(t)})
	tenant, text := uuid.New(), pages(priced(6))
	for range 2 { // the second time, nothing is asked
		found, _, err := r.Extract(t.Context(), tenant, uuid.New(), text)
		must.OK(t, err)
		if d := found[0].Data; len(found) != 1 || len(d.Lines) != 6 || d.Lines[5].Description != "Papier 6" || len(d.References) != 1 {
			t.Fatalf("got %+v", found)
		}
		if f := found[0].Fields["line_items.5.amount"]; f.Quote != "Papier 6  1,00" {
			t.Errorf("got %+v", f)
		}
	}
	calls := server.Calls()
	if len(calls) != 7 {
		t.Fatalf("%d questions", len(calls))
	}
	want := "Page 1:\n<<<page\nNordlicht GmbH\nRechnung RE-7\nBestellung 4500\nArtikel  Betrag\n[rows left out]\n" +
		"Papier 5  1,00\nPapier 6  1,00\npage>>>\n"
	if got := calls[6].UserText; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want at its end %s", got, want)
	}
}

// An answer of many lines takes longer than a minute, so they are divided in advance.
func TestManyRowsAreDivided(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{priced(windowRows): 1, priced(windowRows + 1): 2} {
		r, server, _ := overHTTP(t, scripted.Options{Mind: readsRows(t)})
		found, _, err := r.Extract(t.Context(), uuid.New(), uuid.New(), pages(text))
		must.OK(t, err)
		if n := len(server.Calls()); n != want || len(found) != 1 || len(found[0].Data.Lines) != strings.Count(text, "1,00") {
			t.Errorf("%d questions, want %d", n, want)
		}
	}
}

// A model without end is asked no more than maxHalvings times about the halves.
func TestEndlessAnswerFails(t *testing.T) {
	t.Parallel()
	r, server, v := overHTTP(t, scripted.Options{MaxTokens: 10, Mind: readsRows(t)})
	_, _, err := r.Extract(t.Context(), uuid.New(), uuid.New(), pages(priced(60)))
	if err == nil || !strings.Contains(err.Error(), "cut off") || len(server.Calls()) != 1+maxHalvings {
		t.Errorf("%d questions, %v", len(server.Calls()), err)
	}
	if len(v.answers) != maxHalvings {
		t.Errorf("%d answers can be used: the last question must be asked again", len(v.answers))
	}
}
