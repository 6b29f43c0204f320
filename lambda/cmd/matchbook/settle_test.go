package main

import (
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/postgres/postgrestest"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `INSERT INTO document_warning (tenant_id, document_id, kind, other_document_id, words, facts)
		SELECT i.tenant_id, i.id, 'billed-twice', o.id, 'The same items.', 'f1' FROM document AS i JOIN document AS o USING (tenant_id)
		WHERE i.structured_data ->> 'number' = 'WK-9051' AND o.structured_data ->> 'number' = 'RE-2026-1187'`)
	_, out, _ := matchbook(t, url, "open", "--kind", "warning")
	wantIn(t, out, "billed-twice: The same items.", "matchbook settle billed-twice "+invoice130+" ")
	wantRefused(t, url, "settle", clitest.Refusals{
		{[]string{"twice", "WK-9051", "--reason", "x"}, "unknown warning"},
		{[]string{"billed-twice", "WK-9051"}, "missing reason"},
		{[]string{"billed-twice", "WK-9051", "--reason", "x", "--verdict", "fine"}, "unknown verdict \"fine\": use one of is-a-copy, is-no-copy"},
		{[]string{"over-billed", "WK-9051", "--reason", "x"}, "unknown warning of the document: over-billed of invoice WK-9051"},
		{[]string{"billed-twice", "WK-9051", "4500000130", "--reason", "x"}, "unknown warning of the document"},
	})
	settle := []string{"settle", "billed-twice", "WK-9051", "--reason", "ordered twice", "--verdict", "is-no-copy", "--by", "anna"}
	wantText(t, printed(t, url, settle...), "settled 1 warning billed-twice\n")
	wantText(t, printed(t, url, settle...), "nothing changed: already settled\n")
	transcript(t, "settle-warning", url, "explain WK-9051", "explain WK-9051 --json")
	_, out, _ = matchbook(t, url, "explain", "WK-9051")
	wantIn(t, out, "Settled by anna on ", ": is no copy, ordered twice")
	wantText(t, printed(t, url, "open", "--kind", "warning"), "Nothing waits for people.\n")
}

func TestSettleInvoice(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	wantRefused(t, url, "settle", clitest.Refusals{
		{[]string{"hold", "RE-2026-1187"}, "missing reason"},
		{[]string{"hold", "4500000130", "--reason", "x"}, "missing three-way match of the document: purchase order 4500000130"},
		{[]string{"pay", "RE-2026-1187", "--reason", "x"}, "unknown warning"},
	})
	hold := []string{"settle", "hold", "RE-2026-1187", "--reason", "ask the buyer", "--by", "anna"}
	wantText(t, printed(t, url, hold...), "invoice RE-2026-1187 is on-hold\n")
	wantText(t, printed(t, url, hold...), "nothing changed: invoice RE-2026-1187 is on-hold already\n")
	_, out, _ := matchbook(t, url, "explain", "RE-2026-1187")
	wantIn(t, out, "On hold by anna on ", ": ask the buyer")
	_, out, _ = matchbook(t, url, "explain", "RE-2026-1187", "--json")
	wantIn(t, out, `"state": "on-hold"`, `"reason": "ask the buyer"`)
	_, out, _ = matchbook(t, url, "open", "--kind", "invoice")
	transcript(t, "settle-invoice", url, "open --kind invoice", "open --kind invoice --json", "explain RE-2026-1187")
	wantIn(t, out, "Waiting for people: 1 invoice", "on hold by anna: ask the buyer", "matchbook settle approve ")
	wantText(t, printed(t, url, "settle", "approve", "RE-2026-1187", "--reason", "fine"), "invoice RE-2026-1187 is approved\n")
	wantText(t, printed(t, url, "open", "--kind", "invoice"), "Nothing waits for people.\n")
}
