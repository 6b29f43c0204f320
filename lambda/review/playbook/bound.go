package playbook

import (
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/record"
)

// roles are the names of both sides. A customer and a licensee are one side, because playbooks
// are about buying or selling.
var roles = map[bool]string{
	true: `customers?|clients?|buyers?|purchasers?|licensees?|tenants?|lessees?|borrowers?|distributors?|resellers?|` +
		`auftraggeber(?:in|s)?|kund(?:e|en|in)|käufer(?:in|s)?|besteller(?:in|s)?|lizenznehmer(?:in|s)?|mieter(?:in|s)?|` +
		`acheteur|acquéreur|preneur|licencié|donneur`,
	false: `suppliers?|vendors?|sellers?|providers?|contractors?|consultants?|licensors?|landlords?|lessors?|lenders?|` +
		`manufacturers?|auftragnehmer(?:in|s)?|anbieter(?:in|s)?|verkäufer(?:in|s)?|lieferant(?:en|in)?|` +
		`lizenzgeber(?:in|s)?|vermieter(?:in|s)?|prestataire|fournisseur|vendeur|bailleur|concédant`,
}

// SideOf returns 1 if a party's name or role, such as Customer or Vermieter, is on the
// playbook's side, -1 if it's on the other, and 0 if the word doesn't tell.
func (p Playbook) SideOf(name string) int {
	buying := p.content.Side == "customer" || p.content.Side == "licensee"
	switch buys, sells := role[true]().MatchString(name), role[false]().MatchString(name); {
	case p.content.Side == "neutral" || buys == sells:
		return 0
	case buys == buying:
		return 1
	}
	return -1
}

var role = map[bool]func() *regexp.Regexp{true: lazy.Regexp(`(?i)^(?:` + roles[true] + `)$`),
	false: lazy.Regexp(`(?i)^(?:` + roles[false] + `)$`)}

// binding are the categories of clauses that bind somebody.
var binding = []record.Category{record.UncappedLiability, record.Indemnity, record.Exclusivity}

// binds finds the sides that a clause binds: as its subject, or as the owner of a duty.
func binds(names string) func() *regexp.Regexp {
	return lazy.Regexp(`(?i)\b(?:` + names + `)(?:(?:'s?|’s?)?(?:,? (?:and|und|et) [\p{L}'’]+)? (?:[\p{L}]+ ){0,2}` +
		`(?:liab|indemni|obligation|duty|duties|haft)|,? (?:[\p{L}]+ )?(?:shall|will|must|agree|undertake|is liable|` +
		`hereby|haftet|stellt|verpflichtet|unterhält|est|s'engage|garantit|souscrit))` +
		`|\b(?:liability|obligations?|indemnity|haftung|responsabilité) (?:of|des|der|du) (?:the )?(?:` + names + `)\b`)
}

var bindings = map[bool]func() *regexp.Regexp{true: binds(roles[true]), false: binds(roles[false])}

// bindsBoth finds a clause for both sides.
var bindsBoth = lazy.Regexp(`(?i)\b(?:(?:each|either|neither|any|no|both) part(?:y|ies)|the parties|` +
	`jede partei|keine partei|(?:die|beide) parteien|chacune? des parties|les parties)\b`)

// forOther reports whether a clause binds only the other side, by the names of roles in it.
// Without such names it doesn't.
func (p Playbook) forOther(m record.Mark) bool {
	if !slices.Contains(binding, m.Category) || p.content.Side == "neutral" || bindsBoth().MatchString(m.Quote) {
		return false
	}
	quote := strings.Join(strings.Fields(m.Quote), " ")
	buying := p.content.Side == "customer" || p.content.Side == "licensee"
	return bindings[!buying]().MatchString(quote) && !bindings[buying]().MatchString(quote)
}

// weigh returns the severity of a clause that isn't accepted, and the start of its title.
func (p Playbook) weigh(m record.Mark, position Position) (record.Severity, string) {
	switch {
	case p.forOther(m):
		return record.Info, "Clause that binds the other side: "
	case m.Category == record.LiabilityCap && category.ExcludesAll(m.Quote):
		return position.Severity, "Clause that excludes all liability: "
	case position.Clause != unwanted:
		return lighter(position.Severity), "Clause to compare: "
	case m.Category == record.UncappedLiability && category.OnlyGrossFault(m.Quote):
		return lighter(position.Severity), "Clause to compare: "
	}
	return position.Severity, "Unwanted clause: "
}
