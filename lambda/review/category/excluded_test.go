package category

import "testing"

// Clauses read by a person: does one leave nothing to claim, or only limit what can be claimed?
func TestExcludesAll(t *testing.T) {
	t.Parallel()
	for clause, want := range map[string]bool{
		"The Supplier shall have no liability whatsoever under this Agreement.":                                      true,
		"In no event is the Provider liable for any loss or damage, however caused.":                                 true,
		"The Lessor excludes all liability for the premises.":                                                        true,
		"All liability of the Seller is excluded.":                                                                   true,
		"Jegliche Haftung des Anbieters ist ausgeschlossen.":                                                         true,
		"Toute responsabilité du Bailleur est exclue.":                                                               true,
		"Die Haftung des Anbieters ist vollständig ausgeschlossen.":                                                  true,
		"The Supplier is not liable for any indirect or consequential loss.":                                         false,
		"The Supplier's total liability shall not exceed EUR 5,000.":                                                 false,
		"Jegliche Haftung für leichte Fahrlässigkeit ist ausgeschlossen.":                                            false,
		"The Supplier has no liability for delays caused by the Customer.":                                           false,
		"All liability is excluded except for gross negligence.":                                                     false,
		"Toute responsabilité pour dommages indirects est exclue.":                                                   false,
		"In no event shall either party be liable for any loss of profit.":                                           false,
		"Im Übrigen ist die Haftung für leichte Fahrlässigkeit ausgeschlossen.":                                      false,
		"Nothing in this Agreement excludes all liability for fraud.":                                                false,
		"The Supplier shall have no liability whatsoever in excess of the fees paid in the preceding twelve months.": false,
	} {
		if got := ExcludesAll(clause); got != want {
			t.Errorf("%s: got %v, want %v", clause, got, want)
		}
	}
}
