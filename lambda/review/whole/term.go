package whole

import (
	"fmt"
	"regexp"
	"strings"

	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/review/record"
)

// term is a value set by a clause, with everything another clause must share to contradict it.
type term struct {
	clause
	subject  subject
	value    string  // to be compared; empty: use days
	days     float64 // of a period
	shown    string  // for people
	severity record.Severity
}

// subject is equal for clauses that must not set different values.
type subject struct {
	category record.Category
	about    string // in a title
	of       string // party, object and condition
}

type reader func(clause) (term, bool)

var readers = []reader{law, notice, renewal, renewalNotice, liabilityCap, paymentTerm, initialTerm, survival, courts}

const laws = `(?i:laws? of (?:the )?)(?P<law>\p{Lu}[\p{L}.]*(?: (?:of|and|the|\p{Lu}[\p{L}.]*))*)`

var (
	governed = lazy.Regexp(`(?i:governed|construed|interpreted)\b.{0,120}?` + laws)
	gilt     = lazy.Regexp(`(?i:gilt|unterliegt|anwendbar).{0,60}?(?i:recht der) ` +
		`(?P<law>\p{Lu}\p{L}*(?: \p{Lu}\p{L}*)*)`)
	german = lazy.Regexp(`(?i:gilt|unterliegt|anwendbar).{0,60}?` +
		`(?P<law>(?i:deutsche|österreichische|schweizer(?:ische)?)[smn]?) (?i:recht)`)
)

var countries = map[string]string{
	"Bundesrepublik Deutschland": "Germany", "Federal Republic of Germany": "Germany", "deutsche": "Germany",
	"Republik Österreich": "Austria", "Republic of Austria": "Austria", "österreichische": "Austria",
	"Schweiz": "Switzerland", "Schweizerischen Eidgenossenschaft": "Switzerland", "schweizer": "Switzerland",
	"schweizerische": "Switzerland", "Swiss Confederation": "Switzerland", "Republic of Ireland": "Ireland",
	"England": "England and Wales",
}

func law(c clause) (term, bool) {
	for _, pattern := range []*regexp.Regexp{governed(), gilt(), german()} {
		if found := pattern.FindStringSubmatch(c.line); found != nil {
			name := countryOf(found[pattern.SubexpIndex("law")])
			return term{clause: c, value: name, shown: name, severity: record.High,
				subject: subject{record.GoverningLaw, "governing law", ""}}, name != ""
		}
	}
	return term{}, false
}

func countryOf(name string) string {
	for _, prefix := range []string{"State of ", "Commonwealth of ", "Province of "} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimRight(name, ". ")
	for _, tail := range []string{" and", " of", " the"} {
		name = strings.TrimSuffix(name, tail)
	}
	if same, ok := countries[name]; ok {
		return same
	}
	if same, ok := countries[strings.TrimRight(strings.ToLower(name), "smn")]; ok {
		return same
	}
	if strings.Count(name, " ") > 4 {
		return ""
	}
	return name
}

var (
	convenience = lazy.Regexp(oneOf("for convenience", "without cause", "for any reason", "for no reason", "without reasons?",
		"without (?:giving|stating) reasons?", "ohne angabe von gründen", "jederzeit ordentlich"))
	otherwise = lazy.Regexp(oneOf("breach", "default", `insolven\w*`, "arrears", `renew\w*`, "unless",
		`wichtige\w+`, `verlänger\w*`))
	may = oneOf("may(?: also)?", "can", "shall have the right to", "has the right to", "is entitled to",
		"kann", "können", "darf", "dürfen")
	terminates = lazy.Regexp(
		`\b(\p{L}+(?: party| parties| parteien| partei| vertragspartei| vertragspartner)?) ` +
			may + ` (?:(?:terminate|end|cancel) (?:this|the) (?:agreement|contract)|(?:den|diesen) vertrag)\b`)
	noticeOf  = lazy.Regexp(period + `'?s? (?:(?:prior|advance|written|previous) ?(?:and )?)*notice\b`)
	noticeIs  = lazy.Regexp(`(?:notice of (?:at least |not less than )?|frist von )` + period)
	condition = lazy.Regexp(`^(?:\p{L}?[\d.]+ )?(` + oneOf("after", "during", "until", "following", "before",
		"in", "within", "from", "subject to", "nach", "während", "bis", "ab") + `[^,]*),`)
)

func oneOf(words ...string) string { return `\b(?:` + strings.Join(words, "|") + `)\b` }

// notice reads the notice of termination for convenience.
func notice(c clause) (term, bool) {
	text := strings.ToLower(c.line)
	who := terminates().FindStringSubmatch(text)
	if who == nil || !convenience().MatchString(text) || otherwise().MatchString(text) {
		return term{}, false
	}
	t, ok := periodIn(c, text, noticeOf(), noticeIs())
	t.severity = record.High
	t.subject = subject{record.Termination, "notice of termination for convenience", partyOf(who[1])}
	if when := condition().FindStringSubmatch(text); when != nil {
		t.subject.of += " " + when[1]
	}
	return t, ok
}

// partyOf returns one word for both parties, otherwise the party's name.
func partyOf(name string) string {
	switch name {
	case "either party", "each party", "any party", "both parties", "the parties", "jede partei", "jede vertragspartei",
		"jeder vertragspartner", "beide parteien", "beide vertragsparteien":
		return "each party"
	}
	return strings.TrimSuffix(name, " party")
}

func periodIn(c clause, text string, patterns ...*regexp.Regexp) (term, bool) {
	for _, pattern := range patterns {
		if found := pattern.FindStringSubmatch(text); found != nil {
			length := days(found[1], found[2], found[3])
			return term{clause: c, days: length, shown: shownPeriod(found[1], found[2], found[3])}, length > 0
		}
	}
	return term{}, false
}

func shownPeriod(words, digits, unit string) string {
	if digits == "" {
		digits = fmt.Sprint(wordsToNumber(words))
	}
	return digits + " " + unit
}

var (
	renews = lazy.Regexp(`\brenew(?:s|ed)?(?: automatically)? for (?:up to )?(?:an? )?` +
		`(?:(?:further|additional|successive|consecutive|new) )*(?:(?:renewal )?(?:periods?|terms?) of )?` + period)
	renewsBy  = lazy.Regexp(`\bverlängert sich .{0,60}?\bum (?:jeweils )?` + period)
	renewStop = lazy.Regexp(`\b(?:renew|verlänger)`)
	beforeEnd = lazy.Regexp(period + `'? (?:before|prior to) the (?:end|expiry|expiration)\b`)
	zumEnde   = lazy.Regexp(`frist von ` + period + ` (?:zum|vor) (?:dem )?(?:ende|ablauf)\b`)
)

func renewal(c clause) (term, bool) {
	t, ok := periodIn(c, strings.ToLower(c.line), renews(), renewsBy())
	t.severity, t.subject = record.High, subject{record.Renewal, "period of renewal", ""}
	return t, ok
}

// renewalNotice reads the notice preventing a renewal.
func renewalNotice(c clause) (term, bool) {
	text := strings.ToLower(c.line)
	if !renewStop().MatchString(text) {
		return term{}, false
	}
	t, ok := periodIn(c, text, beforeEnd(), zumEnde())
	t.severity, t.subject = record.High, subject{record.Renewal, "notice that prevents a renewal", ""}
	return t, ok
}

var (
	capped = lazy.Regexp(`(?:([\p{L}]+)'?s? |each party'?s? )?` +
		`(?:total |maximum |entire |cumulative |overall )*(?:aggregate |total |maximum )liability\b` +
		`.*?\b(?:not exceed|limited to|capped at)\b(.*)`)
	exception = lazy.Regexp(oneOf("except", "other than", "notwithstanding", "data protection", `indemni\w*`, "insurance",
		"(?:per|each) (?:claim|event|occurrence)"))
	money   = lazy.Regexp(`(eur|usd|gbp|chf|€|\$|£) ?(\d[\d.,]*\d)(?: ?(million))?`)
	percent = lazy.Regexp(`(\d{1,4}) ?(?:%|per ?cent)`)
)

// liabilityCap reads the cap on a party's entire liability.
func liabilityCap(c clause) (term, bool) {
	text := strings.ToLower(c.line)
	found := capped().FindStringSubmatch(text)
	if found == nil || exception().MatchString(text) {
		return term{}, false
	}
	t := term{clause: c, severity: record.Critical}
	unit := "amount"
	if amount := money().FindStringSubmatch(found[2]); amount != nil {
		digits := strings.NewReplacer(",", "", ".", "").Replace(amount[2])
		t.value = strings.Join([]string{amount[1], digits, amount[3]}, " ")
		t.shown = strings.ToUpper(strings.TrimSpace(amount[1] + " " + amount[2] + " " + amount[3]))
	} else if share := percent().FindStringSubmatch(found[2]); share != nil {
		t.value, t.shown, unit = share[1], share[1]+" per cent", "share"
	}
	t.subject = subject{record.LiabilityCap, "cap of liability", found[1] + " " + unit}
	return t, t.value != ""
}
