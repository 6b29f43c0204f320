package threeway

import (
	"errors"
	"fmt"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/internal/lazy"
)

// Bound is a number of a tolerance, as people set it.
type Bound struct {
	Name, Purpose string
	Of            func(*Tolerance) *document.Amount
}

// Bounds lists the numbers of a tolerance.
var Bounds = []Bound{
	{"price-percent", "accept a price that differs by so much", func(t *Tolerance) *document.Amount { return &t.PricePercent }},
	{"price-absolute", "or by this amount", func(t *Tolerance) *document.Amount { return &t.PriceAbsolute }},
	{"quantity-percent", "accept so many more than ordered or received", func(t *Tolerance) *document.Amount { return &t.QuantityPercent }},
	{"measured-percent", "the same, for goods by weight or length", func(t *Tolerance) *document.Amount { return &t.MeasuredPercent }},
	{"quantity-absolute", "or this many units more", func(t *Tolerance) *document.Amount { return &t.QuantityAbsolute }},
	{"total-percent", "accept so much more than the order in all", func(t *Tolerance) *document.Amount { return &t.TotalPercent }},
	{"total-absolute", "or by this amount", func(t *Tolerance) *document.Amount { return &t.TotalAbsolute }},
	{"charge-percent", "accept unplanned charges of so much of the goods", func(t *Tolerance) *document.Amount { return &t.ChargePercent }},
	{"charge-absolute", "or of this amount", func(t *Tolerance) *document.Amount { return &t.ChargeAbsolute }},
}

// The changes that are no Bound.
const (
	NeedsReceipt = "needs-receipt" // true or false
	Services     = "services"      // comma-separated
)

var largest, largestPercent = document.MustAmount("1000000000000"), document.MustAmount("1000")

// Apply changes a tolerance by texts, by the name of a Bound, NeedsReceipt or Services. Its error
// begins with that name.
func (t *Tolerance) Apply(changes map[string]string) error {
	for _, b := range Bounds {
		text, ok := changes[b.Name]
		if !ok {
			continue
		}
		n, err := document.ParseAmount(text)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", b.Name, err)
		case n.Sign() < 0 || n.Cmp(largest) > 0 || strings.HasSuffix(b.Name, "percent") && n.Cmp(largestPercent) > 0:
			return fmt.Errorf("%s: invalid number %s", b.Name, text)
		}
		*b.Of(t) = n.Round(4)
	}
	switch text, ok := changes[NeedsReceipt]; {
	case ok && text != "true" && text != "false":
		return fmt.Errorf("%s: invalid value %q, expected true or false", NeedsReceipt, text)
	case ok:
		t.NeedsReceipt = text == "true"
	}
	if text, ok := changes[Services]; ok {
		t.Services = []string{}
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				t.Services = append(t.Services, one)
			}
		}
	}
	return nil
}

// Values returns the texts that Apply would take for the tolerance.
func (t *Tolerance) Values() map[string]string {
	values := map[string]string{NeedsReceipt: fmt.Sprint(t.NeedsReceipt), Services: strings.Join(t.Services, ", ")}
	for _, b := range Bounds {
		values[b.Name] = b.Of(t).Canonical()
	}
	return values
}

var likeVATID = lazy.Regexp(`^[A-Za-z]{2}[0-9]{8,12}$`)

// ParseSupplier returns the key of a supplier that a person typed: a VAT id, or a name. An empty
// text is the key of all others.
func ParseSupplier(text string) (key string, err error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if _, ok := company.VATID(text); !ok && likeVATID().MatchString(strings.ReplaceAll(text, " ", "")) {
		return "", errors.New("invalid check digits or country of the VAT id")
	}
	if key = SupplierKey(document.Party{Name: text, VATID: text}); key == "" {
		return "", errors.New("missing name")
	}
	return key, nil
}
