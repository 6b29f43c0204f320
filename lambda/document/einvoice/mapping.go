package einvoice

// mapping holds the place of each field in a vocabulary. Places below a group
// begin at the group's element.
type mapping struct {
	profile, number, date, currency path
	from, to                        path // the period
	notes                           path // every one
	due, terms                      path // of payment
	supplier, buyer                 path // the first that has a name
	party                           partyPlaces
	iban                            path // of the supplier
	account                         path // of the supplier: an IBAN if it has the form of one
	payer                           path // IBAN of the buyer
	subtotal, total                 sumPlaces
	tax                             path // in the document's currency, if there are several
	taxes                           path
	rate                            taxPlaces
	charges                         []chargePlaces
	lines                           path
	line                            linePlaces
	references                      []referencePlaces
	flags                           []flag
}

// partyPlaces are the places of a company's fields.
type partyPlaces struct {
	name          path
	registrations path // numbers by tax scheme
	registration  path // below it: the number
	scheme        path // below it: the scheme
	ids           path // other ids, of which a scheme may be that of VAT ids
	address       path
	parts         []path // of the address; each is a part, joined by blanks
}

// sumPlaces are the places of a total. If it is absent, it equals fallback where
// between is absent or 0.
type sumPlaces struct{ sum, fallback, between path }

// taxPlaces are the places of a tax at one rate.
type taxPlaces struct{ category, rate, base, amount path }

// chargePlaces are the places of charges and discounts.
type chargePlaces struct {
	charges                   path
	isCharge                  path // false: a discount; absent: a charge
	description, amount, rate path
}

// linePlaces are the places of a line item's fields.
type linePlaces struct {
	sku, description, notes   path
	quantity, price, priceFor path
	amount, rate              path
	discounts                 path // and charges of the line, which structured data has no place for
}

// referencePlaces are the places of references of one type.
type referencePlaces struct {
	kind    string // empty: see supporting
	numbers path   // or the elements of supporting documents
}

// supporting are the places in a supporting document. One that is attached is
// a part of the document.
var supporting = struct{ number, code, kind, attached path }{
	number:   path{"IssuerAssignedID", "ID"},
	code:     path{"TypeCode", "DocumentTypeCode"},
	kind:     path{"DocumentType"},
	attached: path{"Attachment", "AttachmentBinaryObject", "URIID"},
}

// flag is a fact that a person has to know.
type flag struct {
	at    path
	value string
	what  string
}
