package explain

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	canonical "matchbook/lambda/document/reference"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Comparison is two documents side by side, and their pair.
type Comparison struct {
	A       *documentState `json:"a"`
	B       *documentState `json:"b"`
	Fields  []field        `json:"fields"`
	Keys    []string       `json:"keys"`
	Pair    *pairReport    `json:"pair"`
	Verdict string         `json:"verdict"`
	// Decisions of people, including withdrawn ones, latest first.
	Decisions []decisionReport `json:"decisions"`
	// Version is the version of the pair, so that a decision refers to the shown state; see
	// Seen of matches.Decision.
	Version string `json:"version,omitempty"`
}

func (d *Reader) compare(a, b *documentState) (*Comparison, error) {
	version, err := d.matches.PairVersion(d.ctx, a.ID, b.ID)
	if err != nil {
		return nil, refused(err)
	}
	// Read everything after the version, so that a later change makes the decision stale.
	if a, b, err = d.readTwo(a.ID, b.ID); err != nil {
		return nil, err
	}
	c := &Comparison{A: a, B: b, Fields: fields(a.data, b.data), Keys: []string{}, Version: version}
	if c.Decisions, _, err = d.history(a.ID, b.ID); err != nil {
		return nil, err
	}
	if a.TenantID == b.TenantID && a.Unreadable == "" && b.Unreadable == "" {
		keys, err := score.CommonKeys(a.raw, b.raw)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			_, key, _ = strings.Cut(key, "|") // without the tenant
			c.Keys = append(c.Keys, term.Clean(key, term.MaxValue))
		}
		slices.SortStableFunc(c.Keys, func(x, y string) int { return keyRank(x) - keyRank(y) })
	}
	pairs, err := d.pairs(a.ID)
	if err != nil {
		return nil, err
	}
	if c.Pair = findPair(pairs, a.ID, b.ID); c.Pair != nil {
		c.Verdict = c.Pair.Verdict()
		if s := c.notSucceeded(); s != "" {
			c.Verdict += " This is an older result: " + s + "."
		}
		return c, nil
	}
	return c, c.explainUnstored()
}

func (d *Reader) readTwo(a, b uuid.UUID) (x, y *documentState, err error) {
	if x, err = d.read(a); err != nil {
		return nil, nil, err
	}
	y, err = d.read(b)
	return x, y, err
}

// keyRank orders keys, most specific first.
func keyRank(key string) int {
	kind, _, _ := strings.Cut(key, "|")
	return slices.Index([]string{"amount", "item", "month"}, kind) // -1, first: numbers and hashed keys
}

// Verdict returns the outcome in one sentence.
func (p pairReport) Verdict() string {
	switch p.Outcome {
	case isMatched:
		if p.DecidedBy == "person" {
			return "Matched: a person confirmed it."
		}
		return fmt.Sprintf("Matched by %s: %.2f, %s confidence.", p.DecidedBy, p.Score, p.Confidence)
	case isUndecided:
		return fmt.Sprintf("Undecided: it needs %s to be a match.", plural.Of(p.MissingPoints, "more point"))
	case isOut:
		return "Out of the question: " + p.OutOfQuestion
	case isRejected:
		return "No match: a person rejected it."
	}
	return fmt.Sprintf("Dropped: %.2f; people are asked from %.2f on.", p.Score, score.Learned.Probability(score.SuggestAt))
}

// notSucceeded describes an unmatched one of the documents; empty if both are matched.
func (c *Comparison) notSucceeded() string {
	for _, s := range []*documentState{c.A, c.B} {
		switch s.Status {
		case "succeeded":
		case "":
			return s.Called() + " was never published for matching"
		case "failed":
			return fmt.Sprintf("matching %s failed, %s: %s",
				s.Called(), attempts(s.Attempts), strings.TrimSuffix(s.Error, "."))
		default:
			return s.Called() + " is " + s.Status
		}
	}
	return ""
}

func (c *Comparison) explainUnstored() error {
	for _, s := range []*documentState{c.A, c.B} {
		if s.Unreadable != "" {
			c.Verdict = fmt.Sprintf("Never compared: cannot read the structured data of %s: %s.",
				s.Called(), s.Unreadable)
			return nil
		}
	}
	switch {
	case c.A.TenantID != c.B.TenantID:
		c.Verdict = "Never compared: they belong to different tenants."
		return nil
	case !slices.Contains(score.Matchable(c.A.Type), c.B.Type):
		c.Verdict = fmt.Sprintf("Never compared: %s and %s are not matched with each other.",
			typesOf(c.A.Type), typesOf(c.B.Type))
		return nil
	}
	pair, err := score.Of(c.A.raw, c.B.raw)
	if err != nil {
		return err
	}
	p := pairReport{Outcome: isDropped, Score: score.Learned.Probability(pair.Points), DecidedBy: "rules",
		OutOfQuestion: term.Clean(pair.Veto, term.MaxText), Evidence: cleanEvidence(pair.Evidence),
		edge: ends{pair.A, pair.B},
		Note: "Compared just now, ignoring other documents."}
	if pair.Veto != "" {
		p.Outcome = isOut
	}
	c.Pair = &p
	switch s := c.notSucceeded(); {
	case s != "":
		c.Verdict = "Not compared yet: " + s + "."
	case len(c.Keys) == 0:
		c.Verdict = "Never compared: they share no key" + whatKeysAre
	case pair.Veto != "" && len(pair.Evidence) == 0:
		c.Verdict = p.Verdict() + " Neither cites the other, so it was not stored."
	case pair.Veto == "" && pair.Points < score.KeepAt:
		c.Verdict = fmt.Sprintf("Dropped: %s, and pairs below %d are not stored.",
			plural.Of(pair.Points, "point"), score.KeepAt)
	case !pair.Counts():
		c.Verdict = "Dropped: no common company, and neither cites the other."
	default:
		c.Verdict = "Not stored: other documents ranked higher, or another version of the rules compared them. " +
			"Publish one of the two to match it again."
	}
	return nil
}

func typesOf(t document.Type) string {
	if t == "" {
		return "documents without a type"
	}
	return t.Words() + "s"
}

type field struct {
	Name string `json:"name"`
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
	Same *bool  `json:"same"` // null if one has no value
}

func compared(name, a, b string, same bool) field {
	f := field{Name: name, A: term.Clean(a, term.MaxValue), B: term.Clean(b, term.MaxValue)}
	if f.A != "" && f.B != "" {
		f.Same = &same
	}
	return f
}

// fields compares the documents field by field, in canonical form.
func fields(a, b document.Data) []field {
	list := []field{
		compared("date", a.Date.String(), b.Date.String(), a.Date == b.Date),
		compared("currency", a.Currency, b.Currency, strings.EqualFold(a.Currency, b.Currency)),
	}
	list = append(list, partyFields("supplier", a.Supplier, b.Supplier)...)
	list = append(list, partyFields("buyer", a.Buyer, b.Buyer)...)
	list = append(list, citedFields(a.References, b.References)...)
	amount := func(name string, x, y document.Amount) field { return compared(name, x.Fixed(), y.Fixed(), x.Equal(y)) }
	list = append(list, amount("subtotal", a.Subtotal, b.Subtotal), amount("tax", a.Tax, b.Tax),
		amount("total", a.Total, b.Total), compared("period", period(a.Period), period(b.Period), a.Period == b.Period))
	list = append(list, lineFields(a.Lines, b.Lines)...)
	list = append(list, compared("notes", a.Notes, b.Notes, a.Notes == b.Notes))
	return slices.DeleteFunc(list, func(f field) bool { return f.A == "" && f.B == "" })
}

func partyFields(role string, a, b document.Party) []field {
	same := func(normal func(string) (string, bool), x, y string) bool {
		p, _ := normal(x)
		q, _ := normal(y)
		return p == q
	}
	return []field{
		compared(role, a.Name, b.Name, company.ParseName(a.Name).Key() == company.ParseName(b.Name).Key()),
		compared(role+" VAT id", a.VATID, b.VATID, same(company.VATID, a.VATID, b.VATID)),
		compared(role+" IBAN", a.IBAN, b.IBAN, same(company.IBAN, a.IBAN, b.IBAN)),
	}
}

func period(p document.Period) string {
	if p == (document.Period{}) {
		return ""
	}
	return p.From.String() + " to " + p.To.String()
}

const maxRows = 8

// citedFields lists common citations side by side, then the rest.
func citedFields(a, b []document.Reference) []field {
	show := func(r document.Reference) string {
		return reference{term.Clean(r.Type, term.MaxValue), term.Clean(r.Number, term.MaxValue)}.String()
	}
	return sideBySide("cites", a, b, show, func(x, y document.Reference) (alike, same bool) {
		alike = strings.EqualFold(x.Type, y.Type) && canonical.Canonical(x.Number) == canonical.Canonical(y.Number)
		return alike, alike
	})
}

// lineFields lists lines of the same article side by side, then the rest.
func lineFields(a, b []document.Line) []field {
	show := func(l document.Line) string {
		how := strings.TrimSpace(l.Quantity.Canonical() + " " + l.Unit)
		if !l.UnitPrice.IsZero() {
			how += " x " + l.UnitPrice.Fixed()
		}
		return how + "  " + strings.TrimSpace(l.SKU+" "+l.Description)
	}
	return sideBySide("line", a, b, show, func(x, y document.Line) (alike, same bool) {
		if alike = x.SKU == y.SKU; x.SKU == "" || y.SKU == "" {
			alike = x.Description != "" && strings.EqualFold(x.Description, y.Description)
		}
		prices := x.UnitPrice.Equal(y.UnitPrice) || x.UnitPrice.IsZero() || y.UnitPrice.IsZero()
		return alike, x.Quantity.Equal(y.Quantity) && prices
	})
}

// sideBySide pairs similar elements of two lists and appends the others.
func sideBySide[T any](name string, a, b []T, show func(T) string, compare func(x, y T) (alike, same bool)) (
	list []field) {
	const most = 200 // of each list
	used := make([]bool, len(b))
	for _, x := range a[:min(len(a), most)] {
		f := compared(name, show(x), "", false)
		for j, y := range b[:min(len(b), most)] {
			if alike, same := compare(x, y); alike && !used[j] {
				f, used[j] = compared(name, show(x), show(y), same), true
				break
			}
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(f, g field) int { return alone(f) - alone(g) })
	for j, y := range b[:min(len(b), most)] {
		if !used[j] {
			list = append(list, compared(name, "", show(y), false))
		}
	}
	if len(list) > maxRows {
		inAll := func(n int) string { return fmt.Sprintf("… %s in all", plural.Of(n, name)) }
		list = append(list[:maxRows], field{Name: name, A: inAll(len(a)), B: inAll(len(b))})
	}
	return list
}

func alone(f field) int {
	if f.Same == nil {
		return 1
	}
	return 0
}
