package format

import (
	"slices"
	"strings"

	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/nearest"
)

// synonyms are other names for our fields, without capitals, hyphens and underscores. Use them
// only as a hint. If the first field is unknown in its place, the next applies.
var synonyms = map[string][]string{
	"ponumber": {references}, "po": {references}, "ordernumber": {references}, "purchaseorder": {references},
	"ordernr": {references}, "reference": {references}, "refs": {references},
	"lines": {"line_items"}, "items": {"line_items"}, "positions": {"line_items"}, "lineitem": {"line_items"},
	"qty": {"quantity"}, "count": {"quantity"}, "uom": {"unit"},
	"price": {"unit_price"}, "article": {"sku"}, "itemnumber": {"sku"}, "productcode": {"sku"}, "partnumber": {"sku"},
	"text": {"description", "notes"}, "name": {"description"}, "linetotal": {"amount"},
	"vendor": {"supplier"}, "seller": {"supplier"}, "from": {"supplier"},
	"customer": {"buyer"}, "client": {"buyer"}, "billto": {"buyer"},
	"vat": {"tax", "vat_id"}, "vatid": {"vat_id"}, "vatnumber": {"vat_id"}, "taxid": {"vat_id"}, "ustid": {"vat_id"},
	"amount": {"total"}, "grandtotal": {"total"}, "totalamount": {"total"}, "gross": {"total"}, "sum": {"total"},
	"net": {"subtotal"}, "nettotal": {"subtotal"},
	"no": {"number"}, "nr": {"number"}, "invoicenumber": {"number"}, "documentnumber": {"number"},
	"invoicedate": {"date"}, "issuedate": {"date"}, "duedate": {"payment_terms"},
	"data": {"structured_data"}, "fields": {"structured_data"}, "tenant": {"tenant_id"}, "doctype": {"type"}, "kind": {"type"},
	"received": {"received_at"}, "createdat": {"received_at"},
}

// references also shows the form, because the name alone doesn't.
const references = `references: [{"type": "purchase-order", "number": "4500000101"}]`

// meant returns the field closest to a name, or "".
func meant(name string, known []string) string {
	folded := fold(name)
	for _, field := range known {
		if fold(field) == folded {
			return field
		}
	}
	for _, hint := range synonyms[folded] {
		if field, _, _ := strings.Cut(hint, ":"); slices.Contains(known, field) {
			return hint
		}
	}
	best, least := "", 3 // letters that may be wrong, fewer than this
	for _, field := range known {
		if d := nearest.Distance(folded, fold(field)); d < least && d < len(field)/2 {
			best, least = field, d
		}
	}
	return best
}

// meantValue returns the type meant by a word, if the value must be one of several names.
func meantValue(value any, location string) string {
	word, ok := value.(string)
	if names, is := schemaAt(location)["enum"].([]any); !ok || !is || len(names) == 0 {
		return ""
	}
	return reference.Type(word)
}

func fold(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}
