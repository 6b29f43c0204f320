package acceptance_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
)

// longInvoice has lines of 2 pieces for 1.50 each.
func longInvoice(lines int) string {
	var b strings.Builder
	b.WriteString("Sommer GmbH\nRechnung\nRechnungsnummer 4403\nRechnungsdatum 20.02.2026\nPos  Artikel  Menge  Preis  Betrag\n")
	for i := range lines {
		fmt.Fprintf(&b, "%3d  Artikel B-%04d, verzinkt, im Karton  2  1,50  3,00\n", i+1, i+1)
	}
	net, tax := 300*lines, 57*lines
	for _, sum := range []struct {
		label string
		cents int
	}{{"Zwischensumme", net}, {"19 % MwSt.", tax}, {"Gesamtbetrag EUR", net + tax}} {
		fmt.Fprintf(&b, "%s %d,%02d\n", sum.label, sum.cents/100, sum.cents%100)
	}
	return b.String()
}

var printedLine = regexp.MustCompile(`(?m)^ *\d+  (Artikel .+?)  (\d+)  (\d+),(\d\d)  (\d+),(\d\d)$`)

// readsRows answers what a question shows of a longInvoice, row by row.
func readsRows(t *testing.T, q scripted.Question) string {
	t.Helper()
	var doc map[string]any
	must.OK(t, json.Unmarshal([]byte(absent), &doc))
	field := func(name, label string) {
		if _, rest, ok := strings.Cut(q.User, label+" "); ok {
			printed, _, _ := strings.Cut(rest, "\n")
			value := strings.ReplaceAll(printed, ",", ".")
			if day, month, ok := strings.Cut(value, ".02."); ok && name == "date" {
				value = month + "-02-" + day
			}
			doc[name] = map[string]any{"value": value, "quote": label + " " + printed}
		}
	}
	field("number", "Rechnungsnummer")
	field("date", "Rechnungsdatum")
	field("subtotal", "Zwischensumme")
	field("tax", "19 % MwSt.")
	field("total", "Gesamtbetrag EUR")
	if doc["total"] != nil {
		doc["currency"] = map[string]any{"value": "EUR", "quote": "Gesamtbetrag EUR"}
	}
	if strings.Contains(q.User, "Sommer GmbH") {
		doc["supplier"].(map[string]any)["name"] = map[string]any{"value": "Sommer GmbH", "quote": "Sommer GmbH"}
	}
	lines := []any{}
	for _, m := range printedLine.FindAllStringSubmatch(q.User, -1) {
		lines = append(lines, map[string]any{"sku": nil, "description": m[1], "quantity": m[2], "unit": nil, "unit_price": m[3] + "." + m[4],
			"price_quantity": nil, "amount": m[5] + "." + m[6], "tax_rate": nil, "quote": m[0]})
	}
	doc["line_items"] = lines
	return string(must.Get(json.Marshal(map[string]any{"documents": []any{doc}, "missing_fields": []string{}, "confidence": "high"}))(t))
}

// A model that writes 2,000 tokens reads an invoice of 300 lines: cut answers divide the page.
// Each part is asked about once, also if the process is killed between two parts.
func TestLongInvoice(t *testing.T) {
	t.Parallel()
	const killedAt = 7 // the question
	asked, answer := make(chan bool), make(chan bool)
	var n atomic.Int32
	server := startModel(t, scripted.Options{MaxTokens: 2_000, Mind: func(q scripted.Question) string {
		if n.Add(1) == killedAt {
			asked <- true
			<-answer
		}
		return readsRows(t, q)
	}})
	o := &modelOffice{newOffice(t, asksModel(server.URL())...), server}
	in := o.lay("long.txt", []byte(longInvoice(300)))
	select {
	case <-asked:
	case <-time.After(patience(t)):
		t.Fatal("no second part was asked about")
	}
	if !o.ingest.Function.Kill(nil) {
		t.Fatal("no process is at work")
	}
	close(answer)
	o.finish()
	check(t, "ingestion", o.state(in.ID), "completed 2 invoice 4403 Sommer GmbH 1071 arithmetic "+manifest.DefaultModel)
	check(t, "lines", query[string](o.line, `SELECT count(*) || ' of ' || count(DISTINCT line ->> 'description')
		FROM document, jsonb_array_elements(structured_data -> 'line_items') AS line WHERE document.id = $1`, in.DocumentID), "300 of 300")
	calls, repeated := map[string]int{}, 0
	for _, c := range o.model.Calls() {
		if calls[c.UserText]++; calls[c.UserText] > 1 {
			repeated++
		}
	}
	check(t, "questions asked twice, of which one died with its process", repeated, 1)
	check(t, "parts", query[string](o.line, `SELECT count(*) FILTER (WHERE answer = '{"cut_off":true}') || ' cut off, ' ||
		count(*) FILTER (WHERE answer LIKE '%line_items%') || ' read' FROM model_answer WHERE unusable = ''`), "8 cut off, 16 read")
}
