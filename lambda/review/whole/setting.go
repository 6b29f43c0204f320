package whole

import (
	"strings"

	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/review/record"
)

var (
	invoiceDue = lazy.Regexp(`\b(?:invoices?|rechnungen|rechnung)\b( (?:for|für) [^,.]{1,60}?)?\b[^.]{0,40}?` +
		`(?:\b(?:due|payable|paid|fällig|zahlbar|zu zahlen|zu begleichen)\b[^.]{0,20}?)?\b(?:within|innerhalb von|binnen) ` + period)
	pays = lazy.Regexp(`\b(?:pay|pays|paid|payable|due|zahl\w*|fällig|begleich\w*)\b`)
	// late clauses are about another moment than the due date.
	late = lazy.Regexp(`\b(?:disput\w*|late|overdue|unpaid|remind\w*|credit|objection|bestreit\w*|verzug|mahnung|beanstand\w*)\b`)

	initially = lazy.Regexp(`\b(?:initial term|initial period|grundlaufzeit|feste laufzeit)\b[^.]{0,40}?\b(?:of|von|is|beträgt) ` +
		`(?:at least |mindestens )?` + period)

	secret   = lazy.Regexp(`\b(?:confidential\w*|secre\w*|vertraulich\w*|geheimhaltung\w*|verschwiegenheit\w*)`)
	afterEnd = lazy.Regexp(`\b(?:for|noch) (?:a (?:further )?period of )?` + period + ` (?:after|following|from|nach|über das) ` +
		`(?:(?:the|dem|der) )?(?:termination|expiry|expiration|end|ende|beendigung)\b`)

	courtsOf  = lazy.Regexp(`(?i:\bcourts? (?:of|in|at) )(?:the )?(?P<place>\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)`)
	exclusive = lazy.Regexp(`(?i)\bexclusive(?:ly)? (?:jurisdiction|submit|venue)|\bexclusive jurisdiction\b`)
	courtsIst = lazy.Regexp(`(?:G|g)erichtsstand ist (?:ausschließlich )?(?P<place>\p{Lu}\p{L}*)`)
	notAlways = lazy.Regexp(`(?i)\b(?:non-exclusive|injunct\w*|interim|consumers?|verbraucher\w*|enforce\w*)\b`)
)

// paymentTerm reads the time for paying invoices. What they are for is part of the subject.
func paymentTerm(c clause) (term, bool) {
	text := strings.ToLower(c.line)
	found := invoiceDue().FindStringSubmatch(text)
	if found == nil || late().MatchString(text) || !pays().MatchString(text) {
		return term{}, false
	}
	t := term{clause: c, days: days(found[2], found[3], found[4]), shown: shownPeriod(found[2], found[3], found[4]),
		severity: record.Medium, subject: subject{record.Payment, "payment term", strings.TrimSpace(found[1])}}
	return t, t.days > 0
}

// initialTerm reads the length of the contract's first term.
func initialTerm(c clause) (term, bool) {
	t, ok := periodIn(c, strings.ToLower(c.line), initially())
	t.severity, t.subject = record.High, subject{record.Parties, "length of the first term", ""}
	return t, ok
}

// survival reads how long secrecy survives the contract.
func survival(c clause) (term, bool) {
	text := strings.ToLower(c.line)
	if !secret().MatchString(text) {
		return term{}, false
	}
	t, ok := periodIn(c, text, afterEnd())
	t.severity, t.subject = record.Medium, subject{record.Confidentiality, "survival of confidentiality", ""}
	return t, ok
}

// courts reads the place of courts that decide alone.
func courts(c clause) (term, bool) {
	if notAlways().MatchString(c.line) {
		return term{}, false
	}
	found := courtsIst().FindStringSubmatch(c.line)
	if found == nil && exclusive().MatchString(c.line) {
		found = courtsOf().FindStringSubmatch(c.line)
	}
	if found == nil {
		return term{}, false
	}
	place := found[1]
	return term{clause: c, value: place, shown: place, severity: record.High,
		subject: subject{record.Disputes, "courts", ""}}, true
}

var (
	// replacing clauses set another value on purpose.
	replacing = lazy.Regexp(`(?i)\b(?:replace[sd]?|in lieu of|instead of (?:section|clause|article)|amended|deleted|` +
		`supersede[sd]?|` +
		`notwithstanding|in derogation|by way of exception|ersetzt|abweichend von|anstelle von|tritt an die stelle|geändert|remplac\w*|` +
		`par dérogation|modifié\w*)\b`)
	// amendment is a heading.
	amendment = lazy.Regexp(`(?im)^[\s#*]*(?:\d{1,2}\.? )?(?:(?:first|second|third) )?(?:amendment|rider|nachtrag|avenant|` +
		`änderungsvereinbarung|änderungsvertrag)\b(?: (?:no|nr|n°)?\.? ?\d{1,3}| (?:to|zum|zur|au|à) [^.;\n]{1,60})?[\s.:#*]*$`)
)

// replaces reports whether a clause sets its value instead of another one: by its own words, or
// by the sentence that introduces it.
func (c clause) replaces(before clause) bool {
	return replacing().MatchString(c.line) || strings.HasSuffix(before.line, ":") && replacing().MatchString(before.line)
}

// amendedFrom returns the place of the first heading of an amendment, or the contract's end.
func amendedFrom(contract string) int {
	if at := amendment().FindStringIndex(contract); at != nil {
		return at[0]
	}
	return len(contract)
}
