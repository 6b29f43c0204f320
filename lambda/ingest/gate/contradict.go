package gate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// contradict compares the answer with what titles and labels say.
func (j *judge) contradict() {
	for _, other := range j.others {
		if j.strange(other) {
			j.object(Plausibility, "", "page %d names another document than page %d", other.Pages[0], j.rules.Pages[0])
		}
	}
	j.title()
	j.date()
	j.dueDate()
	j.sums()
	j.roles()
	if j.issued() {
		j.owners()
	}
	j.exchanged()
}

// strange reports whether the rules found another number, or another supplier's VAT id, on some of
// the pages.
func (j *judge) strange(other extraction.Extraction) bool {
	n, vat := other.Data.Number, other.Data.Supplier.VATID
	cited := func(r document.Reference) bool { return reference.Canonical(r.Number) == reference.Canonical(n) }
	return n != "" && reference.Canonical(n) != reference.Canonical(j.e.Data.Number) && !slices.ContainsFunc(j.e.Data.References, cited) ||
		vat != "" && j.e.Data.Supplier.VATID != "" && !j.has(vat)
}

func (j *judge) title() {
	l := j.labels
	switch {
	case l.Doubt != "" && (j.priced() || j.e.Type == ""):
		j.object(Confidence, "type", "%s", l.Doubt)
	case l.Type != "" && j.e.Type != "" && l.Type != j.e.Type:
		j.object(Plausibility, "type", "the title says %s, the model %s", l.Type.Words(), j.e.Type.Words())
	}
}

// date compares the date with the labels of all dates on the pages. A label that names the
// document outranks a bare one.
func (j *judge) date() {
	v, ok := value(j.e, "date")
	if !ok {
		return
	}
	at := j.day(v.Date)
	named := j.days(func(d byrules.Day) bool { return d.Named })
	if len(named) == 0 {
		named = j.days(func(d byrules.Day) bool { return d.Own })
	}
	switch {
	case at.Named || len(at.Readings) == 0 || slices.Contains(named, v.Date):
	case at.Other && len(named) == 1:
		j.object(Plausibility, "date", "a label names %s as another date, and %s as the document's", v.Date, named[0])
	case at.Other:
		j.object(Plausibility, "date", "a label names %s as another date", v.Date)
	case len(named) == 1:
		j.object(Plausibility, "date", "a label names %s as the date, the model read %s", named[0], v.Date)
	}
}

// days lists the different dates with a meaning. The rules decide whether the day or the month
// comes first.
func (j *judge) days(meant func(byrules.Day) bool) (days []document.Date) {
	for _, d := range j.labels.Days {
		day := d.Readings[0]
		if theirs := j.rules.Data.Date; slices.Contains(d.Readings, theirs) {
			day = theirs
		}
		if meant(d) && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	return days
}

// atOnce marks terms of payment without a later day.
var atOnce = regexp.MustCompile(`(?i)sofort|immediate|receipt|réception|ricevimento|contado|comptant|contant|cash|upon|` +
	`direct|prompt|omgående|straks`)

func (j *judge) dueDate() {
	d, due := j.e.Data, j.e.Data.Terms.Due
	if due.IsZero() {
		return
	}
	at := j.day(due)
	named, ok := j.labelled("payment_terms.due")
	switch terms := j.rules.Data.Terms.Text; {
	case at.Due:
	case ok && named.Date != due:
		j.object(Plausibility, "payment_terms.due", "a label names %s as the due date, the model read %s", named.Date, due)
	case due == d.Date && terms != "" && !atOnce.MatchString(terms):
		j.object(Plausibility, "payment_terms.due", "the due date is the document's date, but the page prints terms of payment")
	case at.Other || at.Own:
		j.object(Plausibility, "payment_terms.due", "a label names %s as another date than the due date", due)
	}
}

// sums compares the sums with the labelled ones. A sum with a label needs proof to be
// contradicted, because labels of totals differ between programs.
func (j *judge) sums() {
	_, proved := byrules.Total(j.pages, j.e.Pages)
	for _, path := range []string{"subtotal", "tax", "total", "amount_due"} {
		mine, ok := value(j.e, path)
		theirs, named := j.labelled(path)
		if !ok || !named || alike(mine, theirs) {
			continue
		}
		also := path == "total" && slices.ContainsFunc(j.labels.Totals, mine.Amount.Equal)
		if proved || path == "total" && !also && j.e.Fields[path].Trust != extraction.Arithmetic {
			j.object(Plausibility, path, "a label names %s as the %s, the model read %s",
				theirs.Amount.Fixed(), words(path), mine.Amount.Fixed())
		}
	}
	mine := j.e.Data.Currency
	theirs, named := j.labelled("currency")
	dollars := theirs.Text == "USD" && strings.HasSuffix(mine, "D") // printed as $ in all countries
	if named && mine != "" && mine != theirs.Text && !dollars {
		j.object(Plausibility, "currency", "the page prints %s, the model read %s", theirs.Text, mine)
	}
}

// roles compares the names of the parties with their labels and places.
func (j *judge) roles() {
	supplier, buyer := j.e.Data.Supplier.Name, j.e.Data.Buyer.Name
	theirs, _ := j.labelled("supplier.name")
	switch {
	case supplier == "":
	case j.labels.Bank(supplier):
		j.object(Plausibility, "supplier.name", "the page names the supplier as the bank of an account%s",
			known("; its supplier is", theirs.Text))
	case j.labels.Side(supplier) == "buyer", !j.issued() && j.labels.Issues(supplier) && !j.labels.Issues(buyer) && !j.sided(supplier):
		j.object(Plausibility, "supplier.name", "the page names the supplier as the buyer")
	case j.labels.Side(buyer) == "supplier":
		j.object(Plausibility, "buyer.name", "the page names the buyer as the supplier")
	case j.issued():
		j.issuer(supplier, theirs.Text)
	}
	switch recipient := j.rules.Data.Buyer.Name; {
	case buyer == "" || j.refused["buyer.name"]:
	case j.issued() && SameCompany(buyer, theirs.Text) && !SameCompany(buyer, recipient) && !SameCompany(buyer, supplier):
		j.object(Plausibility, "buyer.name", "the page names the buyer as its supplier")
	case j.labels.Bank(buyer):
		j.object(Plausibility, "buyer.name", "the page names the buyer as the bank of an account")
	}
}

// sided reports whether a label names the supplier as such.
func (j *judge) sided(supplier string) bool { return j.labels.Side(supplier) == "supplier" }

// issuer compares the supplier with the sender and the recipient of a document that suppliers write.
func (j *judge) issuer(supplier, theirs string) {
	recipient := j.rules.Data.Buyer.Name
	switch {
	case j.sided(supplier) || j.labels.Issues(supplier) || SameCompany(supplier, theirs):
	case SameCompany(supplier, recipient):
		j.object(Plausibility, "supplier.name", "the page names the supplier as the recipient%s", known("; its supplier is", theirs))
	case theirs != "":
		j.object(Plausibility, "supplier.name", "the page names another supplier than the model%s", known(":", theirs, supplier))
	}
}

// known adds the names if all are companies, because a reason must not contain a person's.
func known(before string, names ...string) string {
	for _, n := range names {
		if !byrules.IsCompany(n) {
			return ""
		}
	}
	return before + " " + strings.Join(names, ", not ")
}

// owners compares the owners of VAT ids and accounts.
func (j *judge) owners() {
	for _, side := range []struct{ path, other, name, role string }{
		{"supplier.vat_id", "buyer.vat_id", "VAT id", "buyer"}, {"buyer.vat_id", "supplier.vat_id", "VAT id", "supplier"},
		{"supplier.iban", "buyer.iban", "IBAN", "buyer"},
	} {
		mine, ok := value(j.e, side.path)
		theirs, named := j.labelled(side.other)
		if !ok || !named || id(mine) != id(theirs) {
			continue
		}
		holder, _, _ := strings.Cut(side.path, ".")
		j.object(Plausibility, side.path, "the page gives the %s's %s to the %s", holder, side.name, side.role)
	}
}

// id returns a VAT id in one spelling.
func id(v extraction.Value) string {
	if plain, ok := company.VATID(v.Text); ok {
		return plain
	}
	return printed.Letters(v.Text)
}

// exchanged refuses two lines with each other's amounts, and lines of the table that the answer
// lacks.
func (j *judge) exchanged() {
	lines := j.e.Data.Lines
	for i, l := range lines {
		for k, m := range lines[i+1:] {
			if !fits(l, l) && !fits(m, m) && fits(l, m) && fits(m, l) {
				j.object(Arithmetic, fmt.Sprintf("line_items.%d.amount", i), "the amounts of lines %d and %d are exchanged", i+1, i+k+2)
			}
		}
	}
	read := j.rules.Data.Lines
	missing := slices.ContainsFunc(read, func(l document.Line) bool { return !fits(l, l) })
	if n := len(lines); !missing && len(read) > n {
		j.object(Arithmetic, "line_items", "the page prints %d lines, the model read %d", len(read), n)
	}
}

// fits reports whether quantity x price of one line is the amount of another.
func fits(of, amount document.Line) bool {
	return !of.Quantity.IsZero() && !of.UnitPrice.IsZero() && !amount.Amount.IsZero() &&
		of.Quantity.Times(of.UnitPrice).Within(cent, amount.Amount)
}
