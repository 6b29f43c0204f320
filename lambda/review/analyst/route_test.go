package analyst

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
)

func namesOf(all []Analyst) (names []string) {
	for _, a := range all {
		names = append(names, a.Name)
	}
	return names
}

func TestRoute(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		marks         []record.Category
		text, heading string
		want          []string
	}{
		"nothing":            {},
		"the parties":        {marks: []record.Category{record.Parties}},
		"one":                {marks: []record.Category{record.Renewal}, want: []string{"renewal"}},
		"two of one analyst": {marks: []record.Category{record.LiabilityCap, record.UncappedLiability}, want: []string{"liability"}},
		"in the table's order": {marks: []record.Category{record.GoverningLaw, record.Exclusivity, record.ChangeOfControl},
			want: []string{"termination", "exclusivity", "dispute-resolution"}},
		"a heading":         {heading: "Agreement > 7. Confidentiality", want: []string{"confidentiality"}},
		"a word":            {text: "The Supplier sends an invoice."},
		"words":             {text: "Invoices are payable in 30 days. Fees are net.", want: []string{"payment"}},
		"words in German":   {text: "Rechnungen: Zahlung in 30 Tagen. Die Vergütung ist fest.", want: []string{"payment"}},
		"suspension":        {text: "It may suspend the service.", want: []string{"termination"}},
		"service levels":    {text: "The service level is 99 %. A service credit is due.", want: []string{"liability"}},
		"Mängel":            {text: "Mängel sind nach der Abnahme zu rügen.", want: []string{"liability"}},
		"words in capitals": {text: "PERSONAL DATA: THE DATA SUBJECT, GDPR", want: []string{"data-protection"}},
	} {
		var marks []record.Mark
		for _, m := range c.marks {
			marks = append(marks, record.Mark{Category: m, Score: 1})
		}
		route := Route(marks, Passage{Text: c.text, Heading: c.heading})
		if got := namesOf(route); !slices.Equal(got, slices.Concat([]string{"categories"}, c.want, []string{"unusual-terms"})) {
			t.Errorf("%s: got %v, want %v and the rest", name, got, c.want)
		}
		if got := len(route[len(route)-1].others); got != len(c.want) {
			t.Errorf("%s: the analyst of the rest knows %d others, want %d", name, got, len(c.want))
		}
	}
}

// labelled is for each label of CUAD the analyst that has to read such a clause. None has to read the
// names and dates of a contract.
var labelled = map[string]string{
	"Parties": "", "Agreement Date": "", "Effective Date": "",
	"Expiration Date": "", "Renewal Term": "renewal",
	"Notice Period to Terminate Renewal": "renewal",
	"Governing Law":                      "dispute-resolution",
	"Most Favored Nation":                "exclusivity",
	"Competitive Restriction Exception":  "exclusivity",
	"Non-Compete":                        "exclusivity", "Exclusivity": "exclusivity",
	"No-Solicit of Customers":     "exclusivity",
	"No-Solicit of Employees":     "exclusivity",
	"Non-Disparagement":           "exclusivity",
	"Termination for Convenience": "termination", "Rofr/Rofo/Rofn": "exclusivity",
	"Change of Control": "termination", "Anti-Assignment": "unusual-terms",
	"Revenue/Profit Sharing": "payment", "Price Restrictions": "payment",
	"Minimum Commitment": "exclusivity", "Volume Restriction": "payment",
	"IP Ownership Assignment":           "intellectual-property",
	"Joint IP Ownership":                "intellectual-property",
	"License Grant":                     "intellectual-property",
	"Non-Transferable License":          "intellectual-property",
	"Affiliate License-Licensor":        "intellectual-property",
	"Affiliate License-Licensee":        "intellectual-property",
	"Unlimited/All-You-Can-Eat-License": "intellectual-property",
	"Irrevocable or Perpetual License":  "intellectual-property",
	"Source Code Escrow":                "intellectual-property",
	"Post-Termination Services":         "termination", "Audit Rights": "unusual-terms",
	"Uncapped Liability": "liability", "Cap on Liability": "liability",
	"Liquidated Damages": "liability", "Warranty Duration": "liability",
	"Insurance": "indemnity", "Covenant Not to Sue": "indemnity",
	"Third Party Beneficiary": "unusual-terms",
}

// By rules' marks and words, the router calls few analysts, and nearly every passage that a label
// names is read by its analyst. The analyst of the rest reads the others.
func TestRouterOnCUAD(t *testing.T) {
	t.Parallel()
	folder := testenv.Shared(t, "eval/contracts")
	parts, calls, spans := 0, 0, 0
	misses, called := 0, map[string]int{}
	for _, c := range contractsOf(t, folder) {
		routed := 0
		reached := map[span]bool{}
		for _, p := range chunk.Split(c.text) {
			passage := Passage{Text: c.text[p.Start:p.End], Start: p.Start, Heading: p.Heading}
			here := c.within(passage)
			route := namesOf(Route(category.ByRules(passage.Text, passage.Start, passage.Heading), passage))
			for _, s := range here {
				reached[s] = reached[s] || slices.Contains(route, labelled[s.label])
			}
			for _, name := range route {
				called[name]++
			}
			parts, routed = parts+1, routed+len(route)
		}
		t.Logf("%3d parts, %3d tasks of %3d: %s", len(chunk.Split(c.text)), routed, 12*len(chunk.Split(c.text)), c.name)
		calls += routed
		for s, ok := range reached {
			spans++
			if !ok {
				misses++
				t.Logf("not read: %s: %.200q", s.label, s.text)
			}
		}
	}
	t.Logf("%d parts, %d tasks of %d; %d of %d labels without their analyst; %v", parts, calls, 12*parts, misses, spans, called)
	if parts < 130 || calls > 5*parts || spans < 240 || misses*100 > spans*9 {
		t.Errorf("%d tasks for %d parts and %d of %d labels without their analyst, want at most 5 a part and 9 %%",
			calls, parts, misses, spans)
	}
}

// contract is one with its labels.
type contract struct {
	name, text string
	spans      []span
}

type span struct{ label, text string }

// within returns the labelled spans of a passage that an analyst has to read.
func (c contract) within(p Passage) (here []span) {
	for _, s := range c.spans {
		words := strings.Fields(s.text)
		if labelled[s.label] == "" || len(words) == 0 || !strings.Contains(p.Text, words[len(words)/2]) {
			continue // the search is cheaper than the proof
		}
		if _, _, ok := quote.Find(p.Text, s.text); ok {
			here = append(here, s)
		}
	}
	return here
}

// texts are the strings of a Python list.
var pythonText = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)

func contractsOf(t *testing.T, folder string) (all []contract) {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(folder, "labels.csv")))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must.OK(t, err)
	for _, row := range rows[1:] {
		name := strings.TrimSuffix(row[0], filepath.Ext(row[0]))
		raw, err := os.ReadFile(filepath.Join(folder, "txt", name+".txt"))
		must.OK(t, err)
		c := contract{name: name}
		if c.text, err = chunk.Clean(raw); err != nil {
			t.Fatal(err)
		}
		for i, label := range rows[0] {
			if _, ok := labelled[label]; !ok {
				continue
			}
			for _, text := range pythonText.FindAllString(row[i], -1) {
				text = strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\n`, "\n").Replace(text[1 : len(text)-1])
				for _, part := range strings.Split(text, "<omitted>") {
					c.spans = append(c.spans, span{label, part})
				}
			}
		}
		all = append(all, c)
	}
	return all
}
