package match

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawDoc draws a document from so few values that documents meet.
func drawDoc(t *rapid.T) Document {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	partyOf := func(label string) document.Party {
		return document.Party{Name: pick(label+" name", "", "Hofmann Werkzeugbau", "HOFMANN Werkzeugbau GmbH", "Hoffmann Werkzeugbau", "Zenith"),
			VATID: pick(label+" VAT id", "", "", "", "DE1", "DE136695976", "DE129273398"), IBAN: pick(label+" IBAN", "", "", "X1", "X2")}
	}
	amount := func(label string, of ...string) document.Amount {
		a, _ := document.ParseAmount(pick(label, of...))
		return a
	}
	date := func(label string) (d document.Date) {
		_ = json.Unmarshal([]byte(`"`+pick(label, "", "2025-03-01", "2026-01-01", "2026-01-10", "2026-02-01", "2026-12-31")+`"`), &d)
		return d
	}
	data := document.Data{
		Number: pick("number", "", "1", "01", "4711", "4711-R2", "45O0010046", "4500010046"), Currency: pick("currency", "", "", "EUR", "eur", "USD"),
		Date: date("date"), Period: document.Period{From: date("from"), To: date("to")}, Supplier: partyOf("supplier"), Buyer: partyOf("buyer"),
		Subtotal: amount("subtotal", "", "", "100", "1184.37"), Tax: amount("tax", "", "19"), Total: amount("total", "", "0", "100", "119", "1184.37", "-1184.37"),
		Notes: pick("notes", "", "Returned goods", "Your order no. 4711", "Invoice 4500010046, order 4500010046", "Ref. 4711"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		data.References = append(data.References, document.Reference{
			Type: pick("cited type", "", "tender", string(po), string(oc), string(dn), string(gr), string(inv), string(cn), string(ct)), Number: pick("cited", "1", "PO-1", "4711", "4712", "4500010046", "45OOO1OO46")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		data.Lines = append(data.Lines, document.Line{SKU: pick("sku", "", "a", "b", "c"), Description: pick("description", "", "blue pen", "pen", "red ink", "freight", "order 4711"),
			Quantity: amount("quantity", "", "0", "1", "3", "3", "10", "-3", "0.1", "0.2"), UnitPrice: amount("price", "", "1", "1.5"), Amount: amount("line", "", "50", "0.1")})
	}
	var id uuid.UUID
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	tenant := rapid.SampledFrom([]uuid.UUID{tenantA, tenantA, tenantA, tenantB}).Draw(t, "tenant")
	return normalise(id, tenant, rapid.SampledFrom(document.Types).Draw(t, "type"), data)
}

func TestPairIsTheSameFromBothSides(t *testing.T) {
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
		if p.Fit.Common > min(p.Fit.A, p.Fit.B)*(1+tolerance) {
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

// drawPairs draws pairs among a few documents: at most one of each two.
func drawPairs(t *rapid.T) (pairs []Pair) {
	docs := []string{"order 1", "order 2", "confirmation", "delivery 1", "delivery 2", "receipt", "invoice 1", "invoice 2", "invoice 3", "credit", "contract"}
	for i, a := range docs {
		for _, b := range docs[:i] {
			if !mayMatch(typeOf(a), typeOf(b)) || rapid.IntRange(0, 2).Draw(t, "is there") == 0 {
				continue
			}
			p := weighed(a, b, rapid.SampledFrom([]int{30, 40, 50, 55, 60, 65, 75, 90, 133}).Draw(t, "points"))
			unit := rapid.SampledFrom([]float64{0, 0, 0.1, 2, 3, 5, 8, 11})
			if p.Fit.A, p.Fit.B = unit.Draw(t, "units"), unit.Draw(t, "units"); p.Fit.A == 0 || p.Fit.B == 0 {
				p.Fit = Fit{}
			}
			p.Fit.Common = min(p.Fit.A, p.Fit.B)
			switch rapid.IntRange(0, 12).Draw(t, "said") {
			case 0:
				p.Verdict = Confirmed
			case 1:
				p.Verdict = Rejected
			case 2:
				p = vetoed(p)
			case 3, 4:
				p = by("cites", p)
			}
			if rapid.Bool().Draw(t, "flipped") {
				p = flipped(p)
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func everybody(pairs []Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// neighbourhood is what a store reads to decide about the pairs of documents:
// their pairs, and the pairs of whom those are with.
func neighbourhood(pairs []Pair, documents ...uuid.UUID) Competition {
	c := Competition{Documents: documents}
	near := slices.Clone(documents)
	for _, p := range pairs {
		if slices.Contains(documents, p.A) || slices.Contains(documents, p.B) {
			near = append(near, p.A, p.B)
		}
	}
	for _, p := range pairs {
		if slices.Contains(near, p.A) || slices.Contains(near, p.B) {
			c.Pairs = append(c.Pairs, p)
		}
	}
	return c
}

// sorted is what was decided, in the order of the ids.
func sorted(c Competition) []Decision {
	all := Decide(c)
	slices.SortFunc(all, func(x, y Decision) int {
		return cmp.Or(slices.Compare(x.A[:], y.A[:]), slices.Compare(x.B[:], y.B[:]))
	})
	return all
}

func TestOrderAndExtentOfTheQuestionMakeNoDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		all := sorted(Competition{everybody(pairs), pairs})
		if len(all) != len(pairs) {
			t.Fatalf("%d of %d pairs were decided", len(all), len(pairs))
		}
		shuffled := rapid.Permutation(pairs).Draw(t, "order")
		if got := sorted(Competition{rapid.Permutation(everybody(pairs)).Draw(t, "documents"), shuffled}); !reflect.DeepEqual(got, all) {
			t.Fatalf("in another order: got %+v\nwant %+v", got, all)
		}
		for _, want := range all {
			if want.Score < 0 || want.Score > 1 || want.Evidence == nil {
				t.Fatalf("got %+v", want)
			}
			alone := sorted(neighbourhood(shuffled, want.A, want.B))
			i := slices.IndexFunc(alone, func(j Decision) bool { return j.A == want.A && j.B == want.B })
			if i < 0 || !reflect.DeepEqual(alone[i], want) {
				t.Fatalf("asked about its two documents alone: got %+v\nwant %+v", alone, want)
			}
		}
	})
}

func TestPairsOfOthersMakeNoDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		if len(pairs) == 0 {
			t.Skip("the drawn set has no pairs")
		}
		p := rapid.SampledFrom(pairs).Draw(t, "pair")
		mine := slices.DeleteFunc(slices.Clone(pairs), func(q Pair) bool { return q.A != p.A && q.B != p.B && q.A != p.B && q.B != p.A })
		ours := func(pairs []Pair) Edge { return decide(p, having(pairs, p.A), having(pairs, p.B)) }
		if got, want := ours(pairs), ours(mine); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		decided := Decide(Competition{[]uuid.UUID{p.A}, mine})
		for _, j := range Decide(Competition{[]uuid.UUID{p.A}, pairs}) {
			if j.A == p.A && j.B == p.B && !slices.ContainsFunc(decided, func(k Decision) bool { return reflect.DeepEqual(j, k) }) {
				t.Fatalf("got %+v\nwant one of %+v", j, decided)
			}
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
			if weights[ev.Name].family == "citation" && ev.Points > 0 && a.TenantID == b.TenantID && mayMatch(a.Type, b.Type) && !finds(a, b) {
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
				if _, ok := slices.BinarySearch(lookup, k); !ok && !slices.Contains(d.Companies(), k) {
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

// TestEveryKindOfEvidenceIsMet: the documents of drawDoc meet in
// every way sooner or later, so that the properties are about all of them.
func TestEveryKindOfEvidenceIsMet(t *testing.T) {
	t.Parallel()
	rest := map[string]bool{}
	for name, w := range weights {
		rest[name] = w.family != "competition" && name != "alike" // which needs an embedding
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
