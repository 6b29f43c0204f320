package whole

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	text "matchbook/lambda/cli/term"
	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
)

// Limits of a card by rules.
const (
	mostFacts    = 1 << 19 // bytes of text that are searched
	mostPreamble = 3_000   // bytes of text that name the parties
	mostSums     = 8
	mostOutline  = 1_200
	mostName     = 100
	mostFact     = 240
)

const kindWords = `agreement|contract|licen[cs]e|lease|deed|undertaking|terms and conditions|vertrag|vereinbarung|bedingungen|` +
	`contrat|accord|bail|convention`

var (
	kindOf  = lazy.Regexp(`(?im)^[\s#*]*((?:[\p{L}'’&,-]+ ){0,6}[\p{L}-]*(?:` + kindWords + `)(?: [\p{L}'’-]+){0,5})[\s#*.:]*$`)
	partyIn = lazy.Regexp(`(?:\b(?i:between|zwischen|entre|and|und|et|by|with)|[.;:)]) (?:(?i:der|dem|the|la|le|die) )?` +
		`(\p{Lu}[^,"“”„«»()\n]{2,80}?)(?:, [^"“”„«»]{0,200}?)? ?` +
		`[(–—-]\s?(?:[\p{L}',-]+ ){0,6}?["“”„«]\s?(?:(?i:the|der|die|das|le|la) )?([^"“”„«»]{2,40}?)\s?["”“»]`)
	opener = lazy.Regexp(`^.*\b(?:between|zwischen|entre)\s+(?:(?:der|dem|the|la|le)\s+)?`)
	kind   = lazy.Regexp(`(?i)^(?:the |der |die )?[\p{L}-]*(?:` + kindWords + `|date|datum|part(?:y|ies|eien|ei|ie))$`)
	sum    = lazy.Regexp(`(?i)(?:\b(?:eur|usd|gbp|chf|us\$)|[€$£]) ?\d[\d.,’']*|` +
		`\d[\d.,’']* ?(?:(?:eur|euros?|usd|gbp|chf|dollars?|pounds)\b|[€$£])`)
	ranks = lazy.Regexp(`(?i)\b(?:prevails?|precedence|order of priority|geht .{0,60}\bvor\b|gehen .{0,60}\bvor\b|` +
		`vorrang\w*|prévau\w*|prim(?:e|ent)\b)`)
	begins = lazy.Regexp(`(?i)(?:effective (?:date\b|as of|on|from)|begins? on|commenc\w+ on|commencement date|in force from|` +
		`beginnt am|in kraft (?:am|ab)|` +
		`tritt am|prend effet le|à compter du)[^.]{0,40}?` + day)
	made = lazy.Regexp(`(?i)(?:made (?:on|as of|this)|entered into (?:on|as of)|dated(?: as of)?|` +
		`geschlossen am|conclu le)[^.]{0,40}?` + day)
	expires = lazy.Regexp(`(?i)(?:expires? on|ends? on|until and including|endet am|` +
		`läuft bis(?: zum)?|bis zum|expire le|prend fin le|jusqu'au) ` + day)
	lasts = lazy.Regexp(`\b(?:initial term|initial period|term|laufzeit|grundlaufzeit|fixed period)\b` +
		`[^.]{0,40}?\b(?:of|von|is) (?:at least |mindestens )?` + period)
)

const day = `(\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}|` +
	`(\d{1,2})(?:\.|st|nd|rd|th|er)? (?:day of )?(\p{L}{3,9})\.?,? (\d{4})|(\p{L}{3,9}) (\d{1,2}),? (\d{4}))`

var months = map[string]time.Month{}

func init() {
	for _, names := range []string{
		"january february march april may june july august september october november december",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre"} {
		for i, name := range strings.Fields(names) {
			months[name] = time.Month(i + 1)
		}
	}
}

// Facts returns the card of a contract by rules. ours tells whether a party's name for itself is
// on our side.
func Facts(contract string, ours func(name string) bool) record.Card {
	contract = strings.ToValidUTF8(contract[:min(len(contract), mostFacts)], "")
	head := strings.Join(strings.Fields(contract[:min(len(contract), mostPreamble)]), " ")
	c := record.Card{Outline: chunk.Outline(contract, mostOutline), Definitions: card.Definitions(contract)}
	if m := kindOf().FindStringSubmatch(contract[:min(len(contract), mostOpening)]); m != nil {
		c.Type = text.Clean(m[1], mostName)
	}
	for _, m := range partyIn().FindAllStringSubmatch(strings.ToValidUTF8(head, ""), 4) {
		if !kind().MatchString(m[2]) {
			name := opener().ReplaceAllString(m[1], "")
			c.Parties = append(c.Parties, record.Party{Name: text.Clean(name, mostName), Term: text.Clean(m[2], mostName),
				Ours: ours(m[2])})
		}
	}
	isParty := func(f record.Fact) bool {
		return kind().MatchString(f.Name) || slices.ContainsFunc(c.Parties, func(p record.Party) bool { return p.Term == f.Name })
	}
	c.Definitions = slices.DeleteFunc(c.Definitions, isParty)
	if c.Effective = dateIn(begins(), contract); c.Effective == "" {
		c.Effective = dateIn(made(), contract[:min(len(contract), mostPreamble)])
	}
	c.End = dateIn(expires(), contract)
	for _, s := range clausesOf(record.Task{Text: contract, Chunks: []record.Chunk{{End: len(contract), Searched: true}}}) {
		addFacts(&c, s)
	}
	return card.Computed(c)
}

// addFacts adds what a clause tells, if no earlier one told it.
func addFacts(c *record.Card, s clause) {
	if t, ok := renewal(s); ok && c.Renewal.N == 0 {
		c.Renewal = spanOf(t)
	}
	if t, ok := renewalNotice(s); ok && c.Notice.N == 0 {
		c.Notice = spanOf(t)
	}
	if t, ok := firstTerm(s); ok && c.Term.N == 0 {
		c.Term = spanOf(t)
	}
	if c.Precedence.End == 0 && ranks().MatchString(s.line) {
		c.Precedence = factOf(s, "precedence")
	}
	if at := sum().FindStringIndex(s.line); at != nil && len(c.Sums) < mostSums {
		f := factOf(s, "amount")
		if at[1] > mostFact { // the words before the amount
			f.Quote = text.Clean("…"+strings.ToValidUTF8(s.line[at[1]-mostFact/2:], ""), mostFact)
		}
		c.Sums = append(c.Sums, f)
	}
}

// firstTerm reads the length of the first term.
func firstTerm(c clause) (term, bool) {
	t, ok := periodIn(c, strings.ToLower(c.line), lasts())
	t.severity, t.subject = record.Medium, subject{record.Parties, "length of the term", ""}
	return t, ok
}

func factOf(c clause, name string) record.Fact {
	return record.Fact{Name: name, Quote: text.Clean(c.line, mostFact), Start: c.start, End: c.end}
}

// spanOf returns the period of a term, in its own unit.
func spanOf(t term) record.Span {
	number, unit, _ := strings.Cut(t.shown, " ")
	n, _ := strconv.Atoi(number)
	name := map[byte]string{'d': "day", 't': "day", 'w': "week", 'm': "month", 'y': "year", 'j': "year"}[unit[0]]
	return record.Span{N: n, Unit: name, Fact: factOf(t.clause, t.subject.about)}
}

// dateIn returns the first day that a pattern finds, as 2026-03-31.
func dateIn(pattern *regexp.Regexp, contract string) string {
	for _, m := range pattern.FindAllStringSubmatch(contract, 20) {
		if d := dateOf(m[1:]); d != "" {
			return d
		}
	}
	return ""
}

// dateOf reads the groups of day.
func dateOf(groups []string) string {
	whole, d, month, year := groups[0], groups[1], groups[2], groups[3]
	if d == "" && groups[4] != "" {
		month, d, year = groups[4], groups[5], groups[6]
	}
	for _, layout := range []string{"2006-01-02", "2.1.2006"} {
		if t, err := time.Parse(layout, whole); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	m, ok := months[strings.ToLower(month)]
	if !ok {
		return ""
	}
	y, _ := strconv.Atoi(year)
	n, _ := strconv.Atoi(d)
	t := time.Date(y, m, n, 0, 0, 0, 0, time.UTC)
	if t.Day() != n {
		return ""
	}
	return t.Format(time.DateOnly)
}
