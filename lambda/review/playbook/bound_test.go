package playbook

import (
	"testing"

	"matchbook/lambda/review/record"
)

// Each clause has the severity that a lawyer of the customer gives it, or of the supplier.
func TestSeverityBySide(t *testing.T) {
	t.Parallel()
	customer := parsed(t, string(Default()))
	supplier := customer
	supplier.content.Side = "supplier"
	neutral := customer
	neutral.content.Side = "neutral"
	for _, tc := range []struct {
		playbook Playbook
		category record.Category
		quote    string
		want     record.Severity
	}{
		{customer, record.UncappedLiability, "The Customer's liability under clause 9 is unlimited", record.Critical},
		{supplier, record.UncappedLiability, "The Customer's liability under clause 9 is unlimited", record.Info},
		{neutral, record.UncappedLiability, "The Customer's liability under clause 9 is unlimited", record.Critical},
		{customer, record.UncappedLiability, "Supplier shall be liable without limit for any breach", record.Info},
		{customer, record.UncappedLiability, "The cap does not apply to the Supplier's indemnity in clause 8", record.Info},
		{customer, record.UncappedLiability, "Each party's liability for infringement is unlimited", record.Critical},
		{supplier, record.UncappedLiability, "Each party's liability for infringement is unlimited", record.Critical},
		{customer, record.UncappedLiability, "Birch is liable without limit", record.Critical},
		{customer, record.UncappedLiability, "Supplier's and Customer's obligations under clause 4 are not limited",
			record.Critical},
		{customer, record.UncappedLiability, "The Vendor's liability for disclosing the Customer's data is unlimited",
			record.Info},
		{customer, record.UncappedLiability, "Der Auftragnehmer haftet unbeschränkt für Datenverlust", record.Info},
		{supplier, record.UncappedLiability, "Die Haftung der Auftragnehmerin ist unbeschränkt", record.Critical},
		{customer, record.UncappedLiability, "Le prestataire garantit sans limite le client", record.Info},
		{customer, record.UncappedLiability, "The limits do not apply to gross negligence or wilful misconduct",
			record.High},
		{customer, record.UncappedLiability, "The limits do not apply to gross negligence or breach of confidentiality",
			record.Critical},
		{customer, record.Indemnity, "The Supplier shall indemnify the Customer against claims of third parties",
			record.Info},
		{supplier, record.Indemnity, "The Supplier shall indemnify the Customer against claims of third parties",
			record.Medium},
		{customer, record.Indemnity, "Buyer agrees to hold Seller harmless from all claims", record.Medium},
		{customer, record.Indemnity, "Each party shall indemnify the other", record.Medium},
		{customer, record.Exclusivity, "Licensor shall not appoint any other licensee", record.Info},
		{customer, record.Exclusivity, "The Buyer shall purchase all its requirements from the Seller", record.High},
		{customer, record.Exclusivity, "Neither party shall solicit the other's employees", record.High},
		{customer, record.LiabilityCap, "The Supplier's liability shall not exceed the fees", record.Medium},
	} {
		got := tc.playbook.ByRules([]record.Mark{{Category: tc.category, Quote: tc.quote}})
		if len(got) != 1 || got[0].Severity != tc.want {
			t.Errorf("%s, %s: got %+v, want %s", tc.playbook.Side(), tc.quote, got, tc.want)
		}
	}
}
