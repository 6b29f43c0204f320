package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawDoc draws a document from so few values that documents meet.
func drawDoc(t *rapid.T) Document {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	partyOf := func(label string) document.Party {
		return document.Party{Name: pick(label+" name", "", "Hofmann Werkzeugbau", "HOFMANN Werkzeugbau GmbH", "Hoffmann Werkzeugbau", "Hofmann Metallbau", "HWX", "Zenith"),
			VATID: pick(label+" VAT id", "", "", "", "DE1", "DE136695976", "DE129273398", "ATU13585627"), IBAN: pick(label+" IBAN", "", "", "X1", "X2"), Address: pick(label+" address", "", "", "Hafenweg 12, Kiel")}
	}
	amount := func(label string, of ...string) document.Amount {
		a, _ := document.ParseAmount(pick(label, of...))
		return a
	}
	date := func(label string) (d document.Date) {
		_ = json.Unmarshal([]byte(`"`+pick(label, "", "2025-03-01", "2026-01-01", "2026-01-07", "2026-01-10", "2026-02-01", "2026-05-15", "2026-12-31")+`"`), &d)
		return d
	}
	data := document.Data{
		Number: pick("number", "", "1", "01", "450/26", "4711", "4711-R2", "45O0010046", "4500010046"), Currency: pick("currency", "", "", "EUR", "eur", "$", "USD"),
		Date: date("date"), Period: document.Period{From: date("from"), To: date("to")}, Supplier: partyOf("supplier"), Buyer: partyOf("buyer"),
		Subtotal: amount("subtotal", "", "", "100", "1184.37"), Tax: amount("tax", "", "19"), Total: amount("total", "", "0", "100", "119", "1184.37", "355.31", "-1184.37"),
		Notes: pick("notes", "", "Returned goods", "30 % deposit", "Your order no. 4711", "Invoice 4500010046, order 4500010046", "Ref. 4711"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		data.References = append(data.References, document.Reference{
			Type: pick("cited type", "", "tender", string(po), string(oc), string(dn), string(gr), string(inv), string(cn), string(ct)), Number: pick("cited", "1", "PO-1", "4711", "4712", "4500010046", "45OOO1OO46", "4500010064", "4500010047", "4500010981", "450")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		data.Lines = append(data.Lines, document.Line{SKU: pick("sku", "", "a", "b", "c"), Description: pick("description", "", "blue pen", "pen", "red ink", "freight", "order 4711"),
			Quantity: amount("quantity", "", "0", "1", "3", "26", "27.5", "27.5", "10", "-3", "0.1", "0.2"), Unit: pick("unit", "", "", "", "pc", "box", "kg"), UnitPrice: amount("price", "", "1", "1.5"), Amount: amount("line", "", "50", "0.1")})
	}
	var id uuid.UUID
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	tenant := rapid.SampledFrom([]uuid.UUID{tenantA, tenantA, tenantA, tenantB}).Draw(t, "tenant")
	d := normalise(id, tenant, rapid.SampledFrom(document.Types).Draw(t, "type"), data)
	d.Know(pick("known", "", "", "DE136695976", "DE129273398", "DE136695976\nhofmann werkzeugbau=zenith", "hofmann werkzeugbau=zenith"))
	return d
}

func TestScoreIsSymmetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDoc(t), drawDoc(t)
		if a.ID == b.ID {
			t.Skip("drew one document twice: a document is not compared with itself")
		}
		p, q := a.Score(b), b.Score(a)
		if !reflect.DeepEqual(p, q) {
			t.Fatalf("got %+v\nand %+v", p, q)
		}
		if p.Points != Sum(p.Evidence) && p.Veto == "" || slices.Compare(p.A[:], p.B[:]) >= 0 || p.Veto != "" && (p.Points != 0 || p.Fit != Fit{}) {
			t.Fatalf("got %+v", p)
		}
		if p.Fit.Common > min(p.Fit.A, p.Fit.B)*(1+1e-9) {
			t.Fatalf("more in common than there is: %+v", p.Fit)
		}
		if raw, err := json.Marshal(p.Evidence); err != nil || raw[0] != '[' {
			t.Fatalf("evidence is stored as %s, %v", raw, err)
		}
		a.ID, b.ID = b.ID, a.ID
		r := a.Score(b)
		if r.Points != p.Points || names(r.Evidence) != names(p.Evidence) || r.Veto != p.Veto || r.Fit != (Fit{p.Fit.B, p.Fit.A, p.Fit.Common}) {
			t.Fatalf("the ids make a difference: %+v\nand %+v", p, r)
		}
	})
}

// TestKeysFindBothWays: the document that is matched later finds the other.
func TestKeysFindBothWays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDoc(t), drawDoc(t)
		if ab, ba := finds(a, b), finds(b, a); ab != ba {
			t.Fatalf("the first finds the second: %v, the second the first: %v", ab, ba)
		}
		for _, ev := range a.Score(b).Evidence {
			weak := ev.Name == evCitesWeakly.name || ev.Name == evCitesNearly.name // found by the keys of the company
			if weights[ev.Name].family == "citation" && !weak && ev.Points > 0 && a.TenantID == b.TenantID && mayMatch(a.Type, b.Type) && !finds(a, b) {
				t.Fatalf("it is not found: %+v", ev)
			}
		}
		for _, d := range []Document{a, b} {
			keys, lookup := d.keys()
			for _, list := range [][]string{keys, lookup} {
				if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
					t.Fatalf("not sorted, or not each once: %q", list)
				}
			}
			for _, k := range keys {
				if _, ok := slices.BinarySearch(lookup, k); !ok && !slices.Contains(d.Companies(), k) && !strings.HasPrefix(k[8:], "|day|") && !ofCitation(k) {
					t.Fatalf("%q does not find its like", k)
				}
			}
		}
	})
}

// finds reports whether the lookup of a has a key of b.
func finds(a, b Document) bool {
	_, lookup := a.keys()
	keys, _ := b.keys()
	return slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(lookup, k) })
}

// TestEachEvidenceOccurs: the documents of drawDoc meet in
// every way sooner or later, so that the properties are about all of them.
func TestEachEvidenceOccurs(t *testing.T) {
	t.Parallel()
	rest := map[string]bool{}
	for name := range weights {
		rest[name] = !Evidence{Name: name}.FromCompetition() && name != "alike" && name != "serials" // which need an embedding, and several lines
	}
	random := rapid.Custom(drawDoc)
	for seed := 0; seed < 60_000; seed += 2 {
		for _, ev := range random.Example(seed).Score(random.Example(seed + 1)).Evidence {
			if ev.Points != weights[ev.Name].points {
				t.Fatalf("seeds %d and %d: %s weighs %d", seed, seed+1, ev.Name, ev.Points)
			}
			delete(rest, ev.Name)
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(rest)), func(b bool) bool { return b }) {
			return
		}
	}
	t.Errorf("not met: %v", rest)
}

// Candidates are kept for the next document (see recent), so scoring must leave them as they are.
func TestScoreChangesNoDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDoc(t), drawDoc(t)
		before := fmt.Sprintf("%#v %#v", a, b)
		a.Score(b)
		if after := fmt.Sprintf("%#v %#v", a, b); after != before {
			t.Fatalf("got %s\nof %s", after, before)
		}
	})
}
