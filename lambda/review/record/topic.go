package record

// Topics of findings that are no categories of clauses: they are not marked,
// because the labels of CUAD do not have them.
const (
	DataProtection  Category = "data-protection"
	Payment         Category = "payment"
	Confidentiality Category = "confidentiality"
	Disputes        Category = "dispute-resolution"
	Other           Category = "other"
)

// Topics returns the topics of findings: the categories, and those that are no
// categories of clauses, in the order of reports.
func Topics() []Category {
	return append(All(), DataProtection, Payment, Confidentiality, Disputes, Other)
}
