package revieweval

import "matchbook/lambda/review/record"

// joined maps each label of CUAD to a category, with the reason: the question about categories
// in review/analyst asks for the same. Labels without a category are not measured.
var joined = map[string]struct {
	category record.Category
	reason   string
}{
	"Parties":         {record.Parties, "the same"},
	"Agreement Date":  {record.Parties, "a date of the contract as a whole"},
	"Effective Date":  {record.Parties, "a date of the contract as a whole"},
	"Expiration Date": {record.Parties, "a date of the contract as a whole; that it renews is a label of its own"},

	"Renewal Term":                       {record.Renewal, "the same"},
	"Notice Period to Terminate Renewal": {record.Renewal, "how a renewal is prevented"},

	"Termination for Convenience": {record.Termination, "an end without a cause; ends with a cause have no label"},
	"Post-Termination Services":   {record.Termination, "what the end of the contract leaves to do"},

	"Change of Control": {record.ChangeOfControl, "the same"},
	"Anti-Assignment":   {record.Assignment, "the same"},

	"Cap on Liability":   {record.LiabilityCap, "the same; it includes excluded kinds of damage, and time limits of claims"},
	"Uncapped Liability": {record.UncappedLiability, "the same"},
	"Insurance":          {record.Indemnity, "one half of the category; indemnities have no label"},

	"IP Ownership Assignment": {record.IPOwnership, "property passes to the other side"},
	"Joint IP Ownership":      {record.IPOwnership, "property of both sides"},

	"License Grant":                     {record.License, "the same"},
	"Non-Transferable License":          {record.License, "a limit of a licence"},
	"Affiliate License-Licensor":        {record.License, "whose rights a licence includes"},
	"Affiliate License-Licensee":        {record.License, "to whom a licence extends"},
	"Unlimited/All-You-Can-Eat-License": {record.License, "the extent of a licence"},
	"Irrevocable or Perpetual License":  {record.License, "the duration of a licence"},
	"Source Code Escrow":                {record.License, "a right to use the source code, under a condition"},

	"Non-Compete":                       {record.Exclusivity, "the same"},
	"Exclusivity":                       {record.Exclusivity, "the same"},
	"Competitive Restriction Exception": {record.Exclusivity, "the limit of such a restriction"},
	"No-Solicit of Customers":           {record.Exclusivity, "a ban on competition for customers"},
	"No-Solicit of Employees":           {record.Exclusivity, "a ban on competition for employees"},

	"Governing Law": {record.GoverningLaw, "the same"},

	"Document Name":           {"", "the title names the kind of contract, neither its parties nor its dates"},
	"Most Favored Nation":     {record.Exclusivity, "a tie to one partner by its prices"},
	"Revenue/Profit Sharing":  {"", "a matter of prices"},
	"Price Restrictions":      {"", "a matter of prices"},
	"Minimum Commitment":      {record.Exclusivity, "a tie to one partner by its quantities"},
	"Volume Restriction":      {"", "a matter of quantities"},
	"Liquidated Damages":      {record.LiabilityCap, "damages fixed in advance"},
	"Non-Disparagement":       {"", "a ban on words, not on competition"},
	"Rofr/Rofo/Rofn":          {record.Exclusivity, "a tie to one partner by its right to be asked first"},
	"Audit Rights":            {"", "none of the twelve asks for inspection"},
	"Warranty Duration":       {"", "none of the twelve asks for warranties"},
	"Covenant Not to Sue":     {record.Indemnity, "a promise to leave the other side in peace, as an indemnity is"},
	"Third Party Beneficiary": {"", "none of the twelve asks for third parties"},
}
