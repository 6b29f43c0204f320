package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// lamps are documents of which the sample has none: an order with two
// invoices that fit it equally well, and a hostile document.
var lamps = `
{"id":"30000000-0000-4000-8000-000000000001","tenant_id":"30000000-0000-4000-8000-000000000000","type":"purchase-order","received_at":"2026-04-01T08:00:00Z","structured_data":{"number":"L-7001","date":"2026-04-01","currency":"EUR","supplier":{"name":"Lampen Lichtscheu GmbH","vat_id":"DE999012345"},"total":"190.40","line_items":[{"sku":"LL-1","description":"Stehlampe","quantity":"20","unit_price":"8.00"}]}}
{"id":"30000000-0000-4000-8000-000000000002","tenant_id":"30000000-0000-4000-8000-000000000000","type":"invoice","received_at":"2026-04-09T08:00:00Z","structured_data":{"number":"R-81","date":"2026-04-09","currency":"EUR","supplier":{"name":"Lampen Lichtscheu GmbH","vat_id":"DE999012345"},"total":"190.40","line_items":[{"sku":"LL-1","description":"Stehlampe","quantity":"20","unit_price":"8.00"}]}}
{"id":"30000000-0000-4000-8000-000000000003","tenant_id":"30000000-0000-4000-8000-000000000000","type":"invoice","received_at":"2026-04-10T08:00:00Z","structured_data":{"number":"R-82","date":"2026-04-09","currency":"EUR","supplier":{"name":"Lampen Lichtscheu GmbH","vat_id":"DE999012345"},"total":"190.40","line_items":[{"sku":"LL-1","description":"Stehlampe","quantity":"20","unit_price":"8.00"}]}}
{"id":"30000000-0000-4000-8000-000000000004","tenant_id":"30000000-0000-4000-8000-000000000000","type":"delivery-note","received_at":"2026-04-11T08:00:00Z","structured_data":{"number":"\u001b[31mLS\u202e-9\u009b2J\n\u0007","date":"2026-04-11","supplier":{"name":"東京電灯株式会社\u001b]0;owned\u0007 ` + longName + `"},"references":[{"type":"purchase-order","number":"\u001b[2JX-1"}],"notes":"\u001b[31mred\u001b[0m"}}
{"id":"30000000-0000-4000-8000-000000000005","tenant_id":"30000000-0000-4000-8000-000000000000","type":"purchase-order","received_at":"2026-04-12T08:00:00Z","structured_data":{"number":"A-` + longName + `","supplier":{"name":"` + longName + ` GmbH"},"line_items":[{"description":"` + longName + `","quantity":"2"}]}}
{"id":"30000000-0000-4000-8000-000000000006","tenant_id":"30000000-0000-4000-8000-000000000000","type":"invoice","received_at":"2026-04-13T08:00:00Z","structured_data":{"number":"B-` + longName + `","supplier":{"name":"` + longName + ` GmbH"},"references":[{"type":"purchase-order","number":"A-` + longName + `"}],"notes":"` + longName + `"}}
`

var longName = strings.Repeat("x", 300)

const (
	lampOrder   = "30000000-0000-4000-8000-000000000001"
	lampInvoice = "30000000-0000-4000-8000-000000000002"
	lampOther   = "30000000-0000-4000-8000-000000000003"
	hostile     = "30000000-0000-4000-8000-000000000004"
	lampTenant  = "30000000-0000-4000-8000-000000000000"
)

// matchedLamps gives a test a database with the lamps.
var matchedLamps = postgrestest.Once(func(t testing.TB, url string) {
	matchJSON(t, url, cli.ExitOK, lampFolder(t))
})

func lampFolder(t testing.TB) string {
	t.Helper()
	return clitest.Folder(t, map[string]string{"lamps.jsonl": strings.TrimSpace(lamps)})
}

// printed returns the output of a command that succeeds.
func printed(t *testing.T, url string, args ...string) string {
	t.Helper()
	code, out, errOut := matchbook(t, url, args...)
	if code != cli.ExitOK || errOut != "" {
		t.Fatalf("%v: exit status %d, %s", args, code, errOut)
	}
	return out
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// wantIn wants all of these in a text.
func wantIn(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

func decode[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

func TestExplain(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	matchJSON(t, url, cli.ExitOK, lampFolder(t))
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a matched pair": {[]string{"2026/00219", "G-2026/00031"}, `
                  invoice 2026/00219                        credit note G-2026/00031
id                20000000-0000-4000-8000-000000000305      20000000-0000-4000-8000-000000000306
status            succeeded, 1 attempt                      succeeded, 1 attempt
date            ! 2026-03-17                                2026-03-26
currency        = EUR                                       EUR
supplier        = Glashütte Klirrenfeld GmbH                Glashütte Klirrenfeld GmbH
supplier VAT id = ATU99902034                               ATU99902034
supplier IBAN   = AT199990100000020300                      AT199990100000020300
buyer           = Kaffeerösterei Siebenschläfer GmbH        Kaffeerösterei Siebenschläfer GmbH
buyer VAT id    = ATU99900205                               ATU99900205
cites             purchase order BE-2026-0032
                  purchase order BE-2026-0035
                                                            invoice 2026/00219
subtotal        ! 876.00                                    12.00
tax             ! 175.20                                    2.40
total           ! 1051.20                                   14.40
line              600 Stk x 0.92 GK-500 Vorratsglas 500 ml
                  mit Korken
                  240 Stk x 1.35 GK-1000 Vorratsglas 1000
                  ml mit Korken
                                                            1 psch x 12.00 Preisnachlass lt.
                                                            Vereinbarung vom 24.03.2026
notes           ! Sammelrechnung.                           Preiskorrektur, keine Warenrückgabe.

KEYS ...

EVIDENCE
       +30  Both name the supplier with VAT id ATU99902034.
        +5  Both name Kaffeerösterei Siebenschläfer GmbH as the buyer.
       +60  The credit note cites the invoice 2026/00219.
        +5  The credit note is dated 9 days after the invoice.
       -12  The credit note has one line, which names none of the items of the invoice.
       +20  No other invoice fits the credit note, and no other credit note the invoice.

Points of one kind (company, citations, contents, dates, competition) are capped. The score is the
share of true matches among known pairs with as many points; 70 points are a match, 0.85.

VERDICT
  Matched by rules: 0.98, medium confidence.
`},
		"an undecided pair": {[]string{"L-7001", "R-81"}, `
                  purchase order L-7001                     invoice R-81
id                30000000-0000-4000-8000-000000000001      30000000-0000-4000-8000-000000000002
status            succeeded, 1 attempt                      succeeded, 1 attempt
date            ! 2026-04-01                                2026-04-09
currency        = EUR                                       EUR
supplier        = Lampen Lichtscheu GmbH                    Lampen Lichtscheu GmbH
supplier VAT id = DE999012345                               DE999012345
total           = 190.40                                    190.40
line            = 20 x 8.00 LL-1 Stehlampe                  20 x 8.00 LL-1 Stehlampe

KEYS ...

EVIDENCE
      It needs 12 more points to be a match.
       +30  Both name the supplier with VAT id DE999012345.
       +22  The item and its quantity are the same, a round one.
        +4  The prices are the same.
       +18  Both state the amount 190.40.
        +5  The invoice is dated 8 days after the purchase order.
       -15  Other invoices fit the purchase order as well, and they cannot all belong to it.

Points of one kind (company, citations, contents, dates, competition) are capped. The score is the
share of true matches among known pairs with as many points; 70 points are a match, 0.85.

VERDICT
  Undecided: it needs 12 more points to be a match.
`},
		"a pair out of the question": {[]string{"4500000130", "WK-9051"}, `
                  purchase order 4500000130                 invoice WK-9051
id                10000000-0000-4000-8000-000000001101      10000000-0000-4000-8000-000000001102
status            succeeded, 1 attempt                      succeeded, 1 attempt
date            ! 2026-03-16                                2026-03-23
currency        = EUR                                       EUR
supplier        = Werkzeughaus Krummnagel GmbH              Werkzeughaus Krummnagel GmbH
supplier VAT id ! DE999011111                               DE999011187
supplier IBAN                                               DE55999900050000111800
buyer           = Möbelwerkstatt Nimmerholz GmbH            Möbelwerkstatt Nimmerholz GmbH
buyer VAT id    = DE999001001                               DE999001001
cites                                                       purchase order 4500000130
subtotal        = 691.00                                    691.00
tax             = 131.29                                    131.29
total           = 822.29                                    822.29
line            = 4 Satz x 118.00 KN-STE-5                  4 Satz x 118.00 KN-STE-5
                  Stechbeitelsatz, 5-teilig                 Stechbeitelsatz, 5-teilig
                = 6 Stk x 36.50 KN-JS-240 Japansäge 240 mm  6 Stk x 36.50 KN-JS-240 Japansäge 240 mm

KEYS ...

EVIDENCE
      The suppliers' VAT ids differ: DE999011111 and DE999011187.
       +60  The invoice cites the purchase order 4500000130.

VERDICT
  Out of the question: The suppliers' VAT ids differ: DE999011111 and DE999011187.
`},
		"a lone document": {[]string{"2026/00254"}, `
invoice 2026/00254
  id        24127498-8ff9-5986-82fb-85a3c2ab22ed
  tenant    20000000-0000-4000-8000-000000000001
  date      2026-03-30
  supplier  Glashütte Klirrenfeld GmbH
  buyer     Kaffeerösterei Siebenschläfer GmbH
  cites     purchase order BE-2026-0099
  status    succeeded, 1 attempt
  cluster   none

NO MATCH
  Cited, but not here under the printed number: purchase order BE-2026-0099.
  It shares a key with 5 documents, but has too little evidence for any of them.
    credit note G-2026/00031                  20000000-0000-4000-8000-000000000306
    purchase order BE-2026-0032               20000000-0000-4000-8000-000000000301
    purchase order BE-2026-0035               20000000-0000-4000-8000-000000000302
    goods receipt ZG-0088                     20000000-0000-4000-8000-000000000303
    goods receipt ZG-0090                     20000000-0000-4000-8000-000000000304
`},
		"a document with several candidates": {[]string{"L-7001"}, `
purchase order L-7001
  id        30000000-0000-4000-8000-000000000001
  tenant    30000000-0000-4000-8000-000000000000
  date      2026-04-01
  supplier  Lampen Lichtscheu GmbH
  status    succeeded, 1 attempt
  cluster   none

NO MATCH
  The best candidate is invoice R-81. Undecided: it needs 12 more points to be a match.

LEFT FOR PEOPLE (2)
  0.47 undecided            invoice R-81                        30000000-0000-4000-8000-000000000002
      It needs 12 more points to be a match.
       +30  Both name the supplier with VAT id DE999012345.
       +22  The item and its quantity are the same, a round one.
        +4  The prices are the same.
       +18  Both state the amount 190.40.
        +5  The invoice is dated 8 days after the purchase order.
       -15  Other invoices fit the purchase order as well, and they cannot all belong to it.
  0.47 undecided            invoice R-82                        30000000-0000-4000-8000-000000000003
      It needs 12 more points to be a match.
       +30  Both name the supplier with VAT id DE999012345.
       +22  The item and its quantity are the same, a round one.
        +4  The prices are the same.
       +18  Both state the amount 190.40.
        +5  The invoice is dated 8 days after the purchase order.
       -15  Other invoices fit the purchase order as well, and they cannot all belong to it.
  do: matchbook confirm 30000000-0000-4000-8000-000000000001 ID, or reject

Points of one kind (company, citations, contents, dates, competition) are capped. The score is the
share of true matches among known pairs with as many points; 70 points are a match, 0.85.
`},
		"a document in a cluster": {[]string{"G-2026/00031"}, `
credit note G-2026/00031
  id        20000000-0000-4000-8000-000000000306
  tenant    20000000-0000-4000-8000-000000000001
  date      2026-03-26
  supplier  Glashütte Klirrenfeld GmbH
  buyer     Kaffeerösterei Siebenschläfer GmbH
  cites     invoice 2026/00219
  status    succeeded, 1 attempt
  cluster   purchase order BE-2026-0032         20000000-0000-4000-8000-000000000301
            purchase order BE-2026-0035         20000000-0000-4000-8000-000000000302
            goods receipt ZG-0088               20000000-0000-4000-8000-000000000303
            goods receipt ZG-0090               20000000-0000-4000-8000-000000000304
            invoice 2026/00219                  20000000-0000-4000-8000-000000000305
           *credit note G-2026/00031            20000000-0000-4000-8000-000000000306

MATCHED (1)
  0.98 medium by rules      invoice 2026/00219                  20000000-0000-4000-8000-000000000305
       +30  Both name the supplier with VAT id ATU99902034.
        +5  Both name Kaffeerösterei Siebenschläfer GmbH as the buyer.
       +60  The credit note cites the invoice 2026/00219.
        +5  The credit note is dated 9 days after the invoice.
       -12  The credit note has one line, which names none of the items of the invoice.
       +20  No other invoice fits the credit note, and no other credit note the invoice.

Points of one kind (company, citations, contents, dates, competition) are capped. The score is the
share of true matches among known pairs with as many points; 70 points are a match, 0.85.
`},
	} {
		t.Run(name, func(t *testing.T) {
			// Which keys there are is the package match's business.
			out := regexp.MustCompile(`KEYS in common .*\n(  .*\n)+`).ReplaceAllString(printed(t, url, append([]string{"explain"}, tc.args...)...), "KEYS ...\n")
			wantText(t, out, tc.want)
		})
	}
	t.Run("of every document fits the page and agrees with what is stored", func(t *testing.T) { explainAll(t, url) })
	t.Run("JSON", func(t *testing.T) { explainJSON(t, url) })
	t.Run("limits are as documented", func(t *testing.T) { limitsAgree(t, url) })
	t.Run("hostile text does not reach the terminal", func(t *testing.T) { hostileText(t, url) })
}

func explainAll(t *testing.T, url string) {
	db := postgrestest.Open(t, url)
	// What the command does in a session, in one for all.
	explained := func(asJSON bool, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		r, err := explain.NewReader(t.Context(), db).Explain(args)
		if err == nil {
			err = (&invocation{cli.Invocation{Out: &out}}).Print(r, asJSON)
		}
		must.OK(t, err, args)
		return out.String()
	}
	narrow := func(args ...string) {
		t.Helper()
		out := explained(false, args...)
		if strings.Contains(out, "Note:") {
			t.Errorf("what is stored is not what is decided:\n%s", out)
		}
		for line := range strings.Lines(out) {
			if term.Columns(strings.TrimSuffix(line, "\n")) > term.Width {
				t.Errorf("%v: too long: %s", args, line)
			}
		}
	}
	considered, seen := 0, map[[2]uuid.UUID]bool{}
	for _, id := range allDocuments(t, url) {
		narrow(id.String())
		e := decode[explain.Explanation](t, explained(true, id.String()))
		for i, p := range e.Pairs {
			considered++
			// Each pair once, and as many in either order.
			if a, b := id, p.Document.ID; !seen[[2]uuid.UUID{b, a}] {
				seen[[2]uuid.UUID{a, b}] = true
				if considered%2 == 0 {
					a, b = b, a
				}
				narrow(a.String(), b.String())
			}
			if i == 0 {
				continue
			}
			if before := e.Pairs[i-1]; rankOf(before.Outcome) > rankOf(p.Outcome) || before.Outcome == p.Outcome && before.Score < p.Score {
				t.Errorf("%s: %+v comes before %+v", id, before, p)
			}
		}
	}
	if considered < 100 {
		t.Errorf("only %d pairs seen", considered)
	}
}

func allDocuments(t *testing.T, url string) (ids []uuid.UUID) {
	t.Helper()
	return postgrestest.Value[[]uuid.UUID](t, postgrestest.Conn(t, url), "SELECT array_agg(id ORDER BY id) FROM document")
}

func explainJSON(t *testing.T, url string) {
	one := decode[explain.Explanation](t, printed(t, url, "explain", "--json", lampOrder))
	if len(one.Pairs) != 2 || one.Document.Number != "L-7001" || one.Document.Status != "succeeded" {
		t.Fatalf("got %+v", one)
	}
	p := one.Pairs[0]
	if p.Outcome != "undecided" || p.MissingPoints == 0 || p.Score == 0 || p.DecidedBy != "rules" || p.Document.Number != "R-81" || len(p.Evidence) == 0 {
		t.Errorf("got %+v", p)
	}
	two := decode[explain.Comparison](t, printed(t, url, "explain", "--json", lampOrder, lampInvoice))
	if two.Pair == nil || two.Pair.Outcome != "undecided" || !strings.HasPrefix(two.Verdict, "Undecided: ") || len(two.Keys) == 0 || two.A.Number != "L-7001" || two.B.Number != "R-81" {
		t.Errorf("got %+v", two)
	}
	for _, f := range two.Fields {
		if want := f.Name != "date"; f.Same == nil || *f.Same != want {
			t.Errorf("got %+v, want same %v", f, want)
		}
	}
	if text := printed(t, url, "explain", "4500000130", "WK-9051"); !strings.Contains(text, "misreadings)\n  ref|4500000130\n") {
		t.Errorf("the number that both know is not the first key in\n%s", text)
	}
	names := decode[map[string]any](t, printed(t, url, "explain", "--json", "4500000130", "R-778"))
	if got := fmt.Sprint(names["keys"], names["verdict"]); got != "[]Never compared: they share no key"+" (a number, or an amount, an article or a time of the same company)." {
		t.Errorf("got %s", got)
	}
}

// The limits in texts apply to every pair of the database.
func limitsAgree(t *testing.T, url string) {
	db, ids := postgrestest.Open(t, url), allDocuments(t, url)
	least, asked, kept := 1000, 1000, 1000
	for _, id := range ids {
		c := must.Get(matches.New(db).Competition(t.Context(), id))(t)
		for _, p := range c.Pairs {
			if p.Veto == "" {
				kept = min(kept, p.Points)
			}
		}
		for points := range 101 { // the same pairs, with other points
			for i := range c.Pairs {
				c.Pairs[i].Points, c.Pairs[i].Veto, c.Pairs[i].Verdict = points, "", ""
				c.Pairs[i].Evidence = []score.Evidence{{Name: "cites", Points: min(points, 60)}, {Name: "vat-id", Points: max(points-60, 0)}}
			}
			decided := must.Get(rules.Decide(t.Context(), c))(t)
			for _, j := range decided {
				switch j.Outcome {
				case rules.Matched:
					least = min(least, j.Points)
				case rules.Suggested:
					asked = min(asked, j.Points)
				}
			}
		}
	}
	if least != score.MatchAt || asked != score.SuggestAt || kept < score.KeepAt {
		t.Errorf("matches from %d, suggestions from %d, pairs from %d points", least, asked, kept)
	}
}

func hostileText(t *testing.T, url string) {
	for _, args := range [][]string{{hostile}, {hostile, lampOrder}, {hostile, "--json"}, {hostile, lampOrder, "--json"}} {
		out := printed(t, url, append([]string{"explain"}, args...)...)
		for _, r := range out {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e') {
				t.Errorf("%v: %q in\n%s", args, r, out)
			}
		}
		if strings.Contains(out, "owned") || strings.Contains(out, "[31m") || strings.Contains(out, longName) {
			t.Errorf("%v:\n%s", args, out)
		}
	}
}

// rankOf is the place of a pair's outcome in the order of what is printed.
func rankOf(outcome string) int {
	return slices.Index([]string{"matched", "undecided", "out-of-the-question", "rejected", "dropped"}, outcome)
}

// A number is found in other letters: a document that was not yet matched in capitals or
// small letters, a matched one in both.
func TestExplainIgnoresCase(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	imported(t, url, cli.ExitOK, samples)
	for _, number := range []string{"g-2026/00031", "G-2026/00031"} {
		if out := printed(t, url, "explain", number); !strings.Contains(out, "G-2026/00031") {
			t.Errorf("%s:\n%s", number, out)
		}
	}
	const mixed = `{"type":"invoice","structured_data":{"number":"Re-77/x"}}`
	longer := strings.Replace(mixed, "77/x", "77/x-1", 1) // shares a form of the number
	matchJSON(t, url, cli.ExitOK, filepath.Dir(write(t, mixed, longer)))
	for _, number := range []string{"Re-77/x", "re-77/X", "RE-77/X"} {
		if out := printed(t, url, "explain", number); !strings.HasPrefix(out, "invoice Re-77/x\n") {
			t.Errorf("%s:\n%s", number, out)
		}
	}
	wantRefused(t, url, "explain", clitest.Refusals{{[]string{"re-77x"}, "document not found"}})
}
