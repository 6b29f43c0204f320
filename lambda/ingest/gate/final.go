package gate

import "strings"

// final reports whether another answer can't remove a reason: the page itself is at fault, or the
// title decides.
func (j *judge) final(r Reason) bool {
	_, field, _ := item(r.Field)
	switch r.Check {
	case Confidence:
		return r.Field == "type" || j.e.Successful || !j.rules.Successful
	case Required:
		return j.rules.Fields != nil && !j.printed(r.Field)
	case Arithmetic:
		return field == "" && j.agreed(r.Field)
	case Plausibility:
		id := strings.HasSuffix(r.Field, "vat_id") || strings.HasSuffix(r.Field, "iban")
		return id && strings.Contains(r.Text, "check digits of") || j.confirmed(r.Field)
	case Schema, Grounding:
	}
	return false
}

// printed reports whether the rules found a field that the answer lacks.
func (j *judge) printed(path string) bool {
	if path == "type" {
		return j.rules.Type != ""
	}
	_, ok := j.rules.Fields[path]
	return ok
}

// confirmed reports whether the rules read the answer's value by a label.
func (j *judge) confirmed(path string) bool {
	mine, ok := value(j.e, path)
	theirs, named := j.labelled(path)
	return ok && named && alike(mine, theirs)
}

// agreed reports whether the rules read the same sums by labels, or the same lines, so that the page
// prints a sum that does not add up.
func (j *judge) agreed(path string) bool {
	for _, sum := range []string{"subtotal", "tax", "total", "amount_due"} {
		if _, ok := value(j.e, sum); ok && !j.confirmed(sum) {
			return false
		}
	}
	if !strings.HasPrefix(path, "line_items") {
		return true
	}
	mine, theirs := j.e.Data.Lines, j.rules.Data.Lines
	if len(mine) != len(theirs) || len(j.e.Data.Charges) != len(j.rules.Data.Charges) {
		return false
	}
	for i := range mine {
		if !mine[i].Amount.Equal(theirs[i].Amount) {
			return false
		}
	}
	return true
}
