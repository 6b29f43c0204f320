package playbook

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/record"
)

const small = `{"name": "Ours", "version": "7", "side": "supplier", "positions": {
	"renewal": {"required": false, "clause": "conditional", "acceptable": "A year.", "unwanted": "More.",
		"fallback": "It ends.", "severity": "high", "reason": "We forget."},
	"governing-law": {"required": true, "clause": "accepted", "acceptable": "Ours.", "unwanted": "", "fallback": "Our law.",
		"severity": "low", "reason": "It is near."},
	"uncapped-liability": {"required": false, "clause": "unwanted", "acceptable": "", "unwanted": "Always.", "fallback": "",
		"severity": "critical", "reason": "It ends us."}}}`

func parsed(t *testing.T, text string) Playbook {
	t.Helper()
	return must.Get(Parse([]byte(text)))(t)
}

func TestErrorsSuggestFix(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, replacement, want string }{
		"a misspelt severity": {`"high"`, `"hgih"`,
			`positions.renewal.severity: invalid value "hgih", expected one of critical, high, medium, low, info: did you mean high?`},
		"another severity": {`"high"`, `"terrible"`,
			`positions.renewal.severity: invalid value "terrible", expected one of critical, high, medium, low, info`},
		"no severity":         {`"severity": "high", "reason"`, `"reason"`, `positions.renewal.severity: missing`},
		"a misspelt category": {`"renewal"`, `"renewals"`, `positions.renewals: unknown field: did you mean renewal?`},
		"an unknown category": {`"renewal"`, `"weather"`, `positions.weather: unknown field`},
		"a misspelt field": {`"fallback": "It ends."`, `"falback": "It ends."`,
			"positions.renewal.falback: unknown field: did you mean fallback?\npositions.renewal.fallback: missing"},
		"a field twice": {`"reason": "We forget."`, `"reason": "We forget.", "reason": ""`,
			`positions.renewal.reason: duplicate field`},
		"a category twice": {`"governing-law": {`, `"renewal": {`, `positions.renewal: duplicate field`},
		"another side": {`"supplier"`, `"vendor"`,
			`side: invalid value "vendor", expected one of customer, supplier, licensee, licensor, neutral`},
		"no text":    {`"We forget."`, `null`, `positions.renewal.reason: expected a string`},
		"no boolean": {`"required": false`, `"required": "no"`, `positions.renewal.required: expected true or false`},
		"a null":     {`"required": false`, `"required": null`, `positions.renewal.required: expected true or false`},
		"no choice":  {`"conditional"`, `1`, `positions.renewal.clause: expected one of accepted, conditional, unwanted`},
		"no object": {`{"required": true, "clause": "accepted", "acceptable": "Ours.", "unwanted": "", "fallback": "Our law.",
		"severity": "low", "reason": "It is near."}`, `[]`, `positions.governing-law: expected an object`},
		"a long text": {`"We forget."`, `"` + strings.Repeat("ä", 1001) + `"`,
			`positions.renewal.reason: too long: 1001 characters, at most 1000`},
		"a hidden character": {`"We forget."`, `"We \u202eforget."`,
			`positions.renewal.reason: must not contain control or invisible characters`},
		"an empty version":    {`"7"`, `" "`, `version: must not be empty`},
		"an unprintable name": {`"renewal"`, `"re\u001b[31mnewal\u202e"`, `positions.renewal: unknown field`},
		"a topic that cannot be required": {`"uncapped-liability": {"required": false`, `"payment": {"required": true`,
			`positions.payment.required: only a category of clauses can be required: parties-and-dates, renewal, termination, ` +
				`change-of-control, assignment, liability-cap, uncapped-liability, indemnity-or-insurance, ip-ownership, ` +
				`license-grant, exclusivity-or-non-compete, governing-law`},
	} {
		if strings.Count(small, c.old) == 0 {
			t.Errorf("%s: the playbook has no %s", name, c.old)
		}
		_, err := Parse([]byte(strings.Replace(small, c.old, c.replacement, 1)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got the error\n%v\nwant\n%s", name, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"nothing":       "",
		"no JSON":       "side: customer",
		"two":           small + small,
		"a list":        "[]",
		"an empty one":  "{}",
		"a null":        "null",
		"no UTF-8":      strings.Replace(small, "Ours", "\xff", 1),
		"a large one":   small + strings.Repeat(" ", 64<<10),
		"a deep one":    strings.Repeat(`{"positions":`, 5_000) + "1" + strings.Repeat("}", 5_000),
		"no positions":  `{"name": "", "version": "1", "side": "neutral"}`,
		"many mistakes": `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12}`,
	} {
		_, err := Parse([]byte(raw))
		if err == nil {
			t.Errorf("%s is accepted", name)
		} else if n := strings.Count(err.Error(), "\n"); n >= 10 {
			t.Errorf("%s: the error has %d lines", name, n+1)
		}
	}
}

func TestVersionHashesContent(t *testing.T) {
	t.Parallel()
	p := parsed(t, small)
	var compact map[string]any
	must.OK(t, json.Unmarshal([]byte(small), &compact))
	other, err := json.Marshal(compact) // other white space and another order
	must.OK(t, err)
	if got := parsed(t, string(other)).Version(); got != p.Version() || !strings.HasPrefix(got, "7-") || len(got) != 14 {
		t.Errorf("got %s and %s", p.Version(), got)
	}
	for _, change := range [][2]string{{`"7"`, `"8"`}, {"We forget.", "We forgot."}, {"supplier", "customer"},
		{`"high"`, `"low"`}} {
		if got := parsed(t, strings.Replace(small, change[0], change[1], 1)).Version(); got == p.Version() {
			t.Errorf("%s and %s have the same version %s", change[0], change[1], got)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	p := parsed(t, small)
	marks := []record.Mark{
		{Category: record.Renewal, Score: 80, Quote: "It renews.", Start: 10, End: 20},
		{Category: record.GoverningLaw, Score: 90, Quote: "Texas law.", Start: 30, End: 40},
		{Category: record.UncappedLiability, Score: 50, Quote: "No limit.", Start: 50, End: 59},
		{Category: record.Parties, Score: 90, Quote: "A and B", Start: 0, End: 7},
		{Category: record.Renewal, Score: 60, Quote: "And again.", Start: 60, End: 70},
	}
	renewal := record.Finding{Analyst: "playbook", Category: record.Renewal, Severity: record.Medium,
		Title: "Clause to compare: renewal", Explanation: "Acceptable: A year. Unwanted: More. We forget.",
		Quote: "It renews.", Start: 10, End: 20, Fallback: "It ends."}
	again := renewal
	again.Quote, again.Start, again.End = "And again.", 60, 70
	want := []record.Finding{renewal, {Analyst: "playbook", Category: record.UncappedLiability, Severity: record.Critical,
		Title: "Unwanted clause: uncapped liability", Explanation: "It ends us. Unwanted: Always.",
		Quote: "No limit.", Start: 50, End: 59}, again}
	if got := p.ByRules(marks); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := p.Missing(marks); got != nil {
		t.Errorf("got %+v, nothing is missing", got)
	}
	missing := []record.Finding{{Analyst: "playbook", Category: record.GoverningLaw, Severity: record.Low,
		Title: "Missing clause: governing law", Explanation: "It is near. Acceptable: Ours.", Fallback: "Our law."}}
	if got := p.Missing(slices.Delete(slices.Clone(marks), 1, 2)); !slices.Equal(got, missing) {
		t.Errorf("got %+v, want %+v", got, missing)
	}
	if got := p.Missing(nil); !slices.Equal(got, missing) {
		t.Errorf("of no marks: got %+v, want %+v", got, missing)
	}
	if got := p.ByRules(nil); got != nil {
		t.Errorf("of no marks: got %+v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(Default())
	f.Add([]byte(`{"positions":{"renewal":{"required":"x","required":1}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Parse(raw)
		if (err == nil) != (p.Version() != "") {
			t.Errorf("got version %q and %v", p.Version(), err)
		}
		p.Missing(nil)
	})
}
