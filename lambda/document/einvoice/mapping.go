package einvoice

import "matchbook/lambda/document"

// mapping holds the place of each field in a vocabulary; in a group, from the group's element.
type mapping struct {
	profile, number, date, currency path
	from, to                        path // the period
	notes                           path // every one
	due, terms                      path // of payment
	supplier, buyer                 path // the first with a name
	party                           partyPlaces
	iban                            path // of the supplier
	account                         path // of the supplier; use it if it has the form of an IBAN
	payer                           path // IBAN of the buyer
	payee                           path // the owner of the account, if another than the supplier
	typeCode, buyerReference        path
	delivered                       path
	prepaid, rounding, payable      path
	subtotal, total                 sumPlaces
	tax                             path // in the document's currency, if there are several
	taxes                           path
	rate                            taxPlaces
	charges                         []chargePlaces
	lines                           path
	line                            linePlaces
	references                      []referencePlaces
	flags                           []flag
	finish                          func(*reading, *document.Data) // for what tables can't say; may be nil
}

type partyPlaces struct {
	name          path
	registrations path // numbers by tax scheme
	registration  path // below it: the number
	scheme        path // below it: the scheme
	ids           path // other ids; some schemes are for VAT ids
	address       path
	parts         []path // of the address; each is a part, joined by blanks
}

// sumPlaces are the places of a total. Use fallback if sum is absent, and between absent or 0.
type sumPlaces struct{ sum, fallback, between path }

type taxPlaces struct{ category, rate, base, amount path }

type chargePlaces struct {
	charges                   path
	isCharge                  path // false: a discount; absent: a charge
	description, amount, rate path
	named                     string // without a description
}

type linePlaces struct {
	sku, description, notes   path
	quantity, price, priceFor path
	unit                      path // if it isn't an attribute of the quantity
	amount, rate              path
	discounts                 path // and charges of the line; structured data lacks a place for them
}

type referencePlaces struct {
	kind    string // empty: see supporting
	numbers path   // or the elements of supporting documents
}

// supporting are the places in a supporting document. An attached one isn't a reference.
var supporting = struct{ number, code, kind, attached path }{
	number:   path{"IssuerAssignedID", "ID"},
	code:     path{"TypeCode", "DocumentTypeCode"},
	kind:     path{"DocumentType"},
	attached: path{"Attachment", "AttachmentBinaryObject", "URIID"},
}

// flag is a fact that a person must know.
type flag struct {
	at    path
	value string
	what  string
}
