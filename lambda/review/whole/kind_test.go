package whole

import (
	"fmt"
	"testing"

	"matchbook/lambda/review/record"
)

// The title of a contract chooses which clauses are missing.
func TestMissingByKind(t *testing.T) {
	t.Parallel()
	const all = "[parties-and-dates termination liability-cap governing-law]"
	const noCap = "[parties-and-dates termination governing-law]"
	const noEnd = "[parties-and-dates liability-cap governing-law]"
	for text, want := range map[string]string{
		"MUTUAL NON-DISCLOSURE AGREEMENT\n\nBirch Ltd and Elm plc agree to keep secrets.":                              noCap,
		"Exhibit 10.4\n\nConfidentiality Agreement\n\nBirch Ltd and Elm plc wish to talk.":                             noCap,
		"Geheimhaltungsvereinbarung\n\nDie Birke GmbH und die Ulme AG vereinbaren:":                                    noCap,
		"Accord de confidentialité\n\nBouleau SARL et Orme SA conviennent de ce qui suit.":                             noCap,
		"# Standard Terms\n\n1. **Introduction**. This Mutual Non-Disclosure Agreement allows each party to disclose.": noCap,
		"NDA\n\nThe parties agree.": noCap,
		"Employment Agreement\n\nBirch Ltd employs Ms Jones under this contract.":                             noCap,
		"Arbeitsvertrag\n\nDie Birke GmbH stellt Frau Jonas als Gärtnerin an.":                                noCap,
		"COMMERCIAL LEASE\n\nBirch Ltd lets the premises to Elm plc for a rent.":                              noCap,
		"Loan Agreement\n\nBirch Bank lends Elm plc the sum below.":                                           noCap,
		"Agreement for the Sale of Goods\n\nBirch Ltd sells Elm plc the machines listed below.":               noEnd,
		"Kaufvertrag\n\nDie Birke GmbH verkauft der Ulme AG die Maschine.":                                    noEnd,
		"Services Agreement\n\nThe parties have signed a Non-Disclosure Agreement, which continues in force.": all,
		"Software Licence Agreement\n\nBirch Ltd licenses its software.":                                      all,
		"Master Purchase Agreement\n\nElm plc may order goods from Birch Ltd.":                                all,
		"Framework Agreement\n\nElm plc may order goods, each under a sale contract.":                         all,
		"The parties agree that Elm plc delivers what Birch Ltd orders from time to time.":                    all,
	} {
		got := []record.Category{}
		for _, f := range Conclude(contract("|"+text), defaults(t)).Findings {
			got = append(got, f.Category)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, fmt.Sprint(got), want)
		}
	}
}

const spanish = "Contrato de servicios\n\nEl presente contrato se celebra entre las partes que figuran en el anexo, y la " +
	"responsabilidad del proveedor no excederá de los precios que el cliente ha pagado por los servicios."

// Rules that can't read a contract don't know what is missing in it; a model does.
func TestNothingMissingUnread(t *testing.T) {
	t.Parallel()
	task := contract("|" + spanish)
	if got := Conclude(task, defaults(t)).Findings; len(got) > 0 {
		t.Errorf("rules miss %+v", got)
	}
	task.Job.Model = "a-model"
	if got := Conclude(task, defaults(t)).Findings; len(got) != 4 {
		t.Errorf("a model's review has %d missing clauses, want 4", len(got))
	}
}

func TestSameClauseElsewhere(t *testing.T) {
	t.Parallel()
	task := contract("A|one", "B|two", "C|three")
	find := func(part int, analyst string, c record.Category, quote string, start int) {
		task.Findings = append(task.Findings, record.Finding{Seq: len(task.Findings) + 1, ChunkID: task.Chunks[part].ID,
			Analyst: analyst, Category: c, Quote: quote, Start: start, End: start + len(quote)})
	}
	find(0, "playbook", record.Indemnity, "The Buyer shall indemnify the Seller against all claims.", 0)
	find(2, "playbook", record.Indemnity, "7.2  THE BUYER shall indemnify the Seller\nagainst all claims", 900) // 2: 1 again
	find(2, "playbook", record.Indemnity, "The Seller shall indemnify the Buyer against all claims.", 990)
	find(1, "indemnity", record.Indemnity, "The Buyer shall indemnify the Seller against all claims.", 400)
	find(1, "playbook", record.LiabilityCap, "The Buyer shall indemnify the Seller against all claims.", 500)
	find(0, "playbook", record.Indemnity, "The Buyer shall indemnify the Seller against all claims.", 60) // 6: 1 again
	find(0, "playbook", record.Indemnity, "", 0)
	find(1, "playbook", record.Indemnity, "", 0)
	if got, want := fmt.Sprint(Conclude(task, defaults(t)).Same), "map[2:1 6:1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
