package whole

import (
	"regexp"
	"slices"

	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/record"
)

// mostOpening bounds the start of a contract that is searched for its title, in bytes.
const mostOpening = 1_000

// kinds are the types of contracts by their titles, with the clauses not expected in them.
// Other types, such as services, licences and frameworks, are expected to have all clauses, and
// are listed because the first title counts.
var kinds = []struct {
	title      func() *regexp.Regexp
	unexpected []record.Category
}{
	{titled(`(?:non-?\s?disclosure|confidentiality|secrecy) (?:agreement|deed|undertaking)`, `nda`,
		`(?:geheimhaltungs|vertraulichkeits)(?:vereinbarung|vertrag|erklärung)`, `accord de (?:confidentialité|non-divulgation)`),
		[]record.Category{record.LiabilityCap}},
	{titled(`(?:employment|employee) (?:agreement|contract)`, `contract of employment`, `(?:arbeits|anstellungs)vertrag`,
		`contrat de travail`), []record.Category{record.LiabilityCap}},
	{titled(`(?:commercial |residential |office |sub)?lease(?: agreement)?`, `(?:tenancy|rental) agreement`,
		`(?:miet|pacht)vertrag`, `(?:contrat de |contrat de sous-)location`, `bail(?: commercial)?`),
		[]record.Category{record.LiabilityCap}},
	{titled(`(?:loan|credit|facility|financing) agreement`, `promissory note`, `(?:darlehens|kredit)vertrag`,
		`contrat de prêt`), []record.Category{record.LiabilityCap}},
	{titled(`(?:sales?|purchase|sale and purchase) (?:agreement|contract)`, `(?:agreement|contract) (?:for|of) (?:the )?sale`,
		`bill of sale`, `kaufvertrag`, `contrat de vente`), []record.Category{record.Termination}},
	{titled(`(?:master|framework) (?:[\p{L}-]+ ){0,2}(?:sales?|purchase|supply) (?:agreement|contract)`,
		`(?:[\p{L}-]+ )?(?:agreement|contract|licence|license|deed)`, `\p{L}*(?:vertrag|vereinbarung)`,
		`contrat`, `accord`), nil},
}

func titled(titles ...string) func() *regexp.Regexp {
	all := ""
	for _, t := range titles {
		all += `|` + t
	}
	return lazy.Regexp(`(?i)(?:^|[^\p{L}-])(?:` + all[1:] + `)(?:$|[^\p{L}-])`)
}

// unexpectedIn returns the clauses that a contract needn't have, by its title.
func unexpectedIn(text string) (list []record.Category) {
	start := text[:min(len(text), mostOpening)]
	first := len(start)
	for _, k := range kinds {
		if at := k.title().FindStringIndex(start); at != nil && at[0] < first {
			first, list = at[0], k.unexpected
		}
	}
	return list
}

// expected returns the missing clauses that are expected in the contract. Rules report none in
// a language that they don't read.
func expected(t record.Task, missing []record.Finding) []record.Finding {
	if _, unread := category.Unread(t.Text); unread && t.Job.Model == "" {
		return nil
	}
	unexpected := unexpectedIn(t.Text)
	return slices.DeleteFunc(missing, func(f record.Finding) bool { return slices.Contains(unexpected, f.Category) })
}
