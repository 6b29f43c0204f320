package match

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// parsed is a normalised document of tenantA with this structured data.
func parsed(t *testing.T, typ document.Type, data string) doc {
	t.Helper()
	d, err := document.Parse([]byte(data))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return normalise(uuid.New(), tenantA, typ, d)
}

// The table of the design, row by row; the columns are in the order of
// document.Types.
func TestMatchableTypes(t *testing.T) {
	t.Parallel()
	for i, row := range []string{
		//       PO OC DN GR IN CN CT
		/* PO */ ". x x x x . x",
		/* OC */ "x . . . . . .",
		/* DN */ "x . . x x . .",
		/* GR */ "x . x . x x .",
		/* IN */ "x . x x . x x",
		/* CN */ ". . . x x . .",
		/* CT */ "x . . . x . .",
	} {
		a := document.Types[i]
		for j, mark := range strings.Fields(row) {
			b := document.Types[j]
			if got := mayMatch(a, b); got != (mark == "x") {
				t.Errorf("%s with %s: got %v", a, b, got)
			}
			if mayMatch(a, b) != mayMatch(b, a) {
				t.Errorf("%s with %s is not the same as the other way round", a, b)
			}
		}
	}
	if got := Matchable("letter"); len(got) != 0 {
		t.Errorf("an unknown type matches %v", got)
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	const po, oc, dn, gr, inv, ct = document.PurchaseOrder, document.OrderConfirmation, document.DeliveryNote,
		document.GoodsReceipt, document.Invoice, document.Contract
	const vat, cites45 = `"supplier":{"vat_id":"DE1"}`, `"references":[{"type":"purchase-order","number":"45"}]`
	pens := func(n string) string { return `"line_items":[{"sku":"pen","quantity":"` + n + `"}]` }
	for _, tc := range []struct {
		name       string
		aType      document.Type
		a          string
		bType      document.Type
		b          string
		want       float64
		evidence   string
		confidence string
	}{
		{"same VAT id, a citation", po, `{"number":"45",` + vat + `}`, inv, `{"supplier":{"vat_id":"de-1"},` + cites45 + `}`,
			0.90, "vat-id cites", "high"},
		{"same account, a citation", po, `{"number":"45","supplier":{"iban":"DE99 1"}}`, inv, `{"supplier":{"iban":"DE991"},` + cites45 + `}`,
			0.90, "iban cites", "high"},
		{"a VAT id says more than the account", po, `{"number":"45","supplier":{"vat_id":"DE1","iban":"DE99"}}`, inv, `{"supplier":{"vat_id":"DE1","iban":"DE99"},` + cites45 + `}`,
			0.90, "vat-id cites", "high"},
		{"same supplier's name, a citation", po, `{"number":"45","supplier":{"name":"Acme GmbH"}}`, inv, `{"supplier":{"name":"ACME"},` + cites45 + `}`,
			0.80, "name cites", "medium"},
		{"same buyer by VAT id, no supplier on one side", po, `{"number":"45","buyer":{"vat_id":"FR2"}}`, inv, `{` + vat + `,"buyer":{"vat_id":"FR 2"},` + cites45 + `}`,
			0.80, "buyer cites", "medium"},
		{"same buyer by name", po, `{"number":"45","buyer":{"name":"Us"}}`, inv, `{"buyer":{"name":"us"},` + cites45 + `}`,
			0.80, "buyer cites", "medium"},
		{"a citation in another spelling", po, `{"number":"PO-0045",` + vat + `}`, inv, `{` + vat + `,` + cites45 + `}`,
			0.90, "vat-id cites", "high"},
		{"both cite a third document", gr, `{` + vat + `,` + cites45 + `}`, inv, `{` + vat + `,` + cites45 + `}`,
			0.60, "vat-id common-citation", "medium"},
		{"a direct citation outweighs a common one", dn, `{"number":"7",` + vat + `,` + cites45 + `}`,
			inv, `{` + vat + `,"references":[{"type":"purchase-order","number":"45"},{"type":"delivery-note","number":"7"}]}`,
			0.90, "vat-id cites", "high"},
		{"a common citation and the same quantities", gr, `{` + vat + `,` + cites45 + `,` + pens("3") + `}`, inv, `{` + vat + `,` + cites45 + `,` + pens("3.0") + `}`,
			0.80, "vat-id common-citation quantities", "medium"},
		{"the same net amount", po, `{"subtotal":"100",` + vat + `}`, oc, `{"subtotal":"100.00",` + vat + `}`,
			0.45, "vat-id amount", "medium"},
		{"net here is gross there", gr, `{"subtotal":"119",` + vat + `,` + cites45 + `}`, inv, `{"total":"119.00","subtotal":"100",` + vat + `,` + cites45 + `}`,
			0.75, "vat-id common-citation amount", "medium"},
		{"nothing is not the same as nothing", po, `{"total":"0",` + vat + `}`, oc, `{"total":"0",` + vat + `}`,
			0.30, "vat-id", "medium"},
		{"it cites another document of that type", po, `{"number":"46","total":"5",` + vat + `,` + pens("3") + `}`, inv, `{"total":"5",` + vat + `,` + cites45 + `,` + pens("3") + `}`,
			0.35, "vat-id other-citation quantities amount", "medium"},
		{"a document without a number may be the one that is cited", po, `{` + vat + `}`, inv, `{` + vat + `,` + cites45 + `}`,
			0.30, "vat-id", "medium"},
		{"a common item in another quantity", dn, `{` + vat + `,` + cites45 + `,` + pens("2") + `}`, inv, `{` + vat + `,` + cites45 + `,` + pens("3") + `}`,
			0.40, "vat-id common-citation quantity-other", "medium"},
		{"an order may be charged in parts", po, `{"number":"45",` + vat + `,` + pens("9") + `}`, inv, `{` + vat + `,` + cites45 + `,` + pens("3") + `}`,
			0.90, "vat-id cites", "high"},
		{"the parts of a collective invoice", dn, `{"number":"7",` + vat + `,` + pens("2") + `}`,
			inv, `{` + vat + `,"line_items":[{"sku":"pen","quantity":"2"},{"sku":"ink","quantity":"1"}]}`,
			0.50, "vat-id quantities", "medium"},
		{"never more than 1", po, `{"number":"45","total":"5",` + vat + `,` + pens("3") + `}`, inv, `{"total":"5",` + vat + `,` + cites45 + `,` + pens("3") + `}`,
			1, "vat-id cites quantities amount", "high"},
		{"never less than 0", po, `{"number":"46","supplier":{"name":"Acme"}}`, inv, `{"supplier":{"name":"Acme"},` + cites45 + `}`,
			0, "name other-citation", "medium"},
		{"an invoice without an order has a contract", ct, `{"number":"C1",` + vat + `}`, inv, `{` + vat + `,"references":[{"type":"contract","number":"C1"}]}`,
			0.90, "vat-id cites", "high"},
		{"one currency is not known", po, `{"number":"45","currency":"EUR",` + vat + `}`, inv, `{` + vat + `,` + cites45 + `}`,
			0.90, "vat-id cites", "high"},
		{"a currency in lower case", po, `{"number":"45","currency":"EUR",` + vat + `}`, inv, `{"currency":"eur",` + vat + `,` + cites45 + `}`,
			0.90, "vat-id cites", "high"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := score(parsed(t, tc.aType, tc.a), parsed(t, tc.bType, tc.b))
			var names []string
			for _, ev := range e.Evidence {
				names = append(names, ev.Name)
				if ev.Text == "" || !strings.Contains(e.Reasoning, ev.Text) {
					t.Errorf("the reasoning %q does not say %q", e.Reasoning, ev.Text)
				}
			}
			if got := strings.Join(names, " "); e.Score != tc.want || got != tc.evidence || e.Confidence != tc.confidence {
				t.Errorf("got %v, %s, by %s\nwant %v, %s, by %s", e.Score, e.Confidence, got, tc.want, tc.confidence, tc.evidence)
			}
		})
	}
}

// Each pair would be a match if it were not for what the row says.
func TestVetoes(t *testing.T) {
	t.Parallel()
	const po, oc, inv, ct = document.PurchaseOrder, document.OrderConfirmation, document.Invoice, document.Contract
	const vat = `"supplier":{"vat_id":"DE1","name":"Acme"}`
	cites := func(typ document.Type) string { return `"references":[{"type":"` + string(typ) + `","number":"45"}]` }
	for _, tc := range []struct {
		name  string
		aType document.Type
		a     string
		bType document.Type
		b     string
		why   string
	}{
		{"types", oc, `{"number":"45",` + vat + `}`, inv, `{` + vat + `,` + cites(oc) + `}`, "Documents of these types are not matched."},
		{"currency", po, `{"number":"45","currency":"EUR",` + vat + `}`, inv, `{"currency":"USD",` + vat + `,` + cites(po) + `}`, "The currencies differ."},
		{"supplier's VAT id", po, `{"number":"45",` + vat + `}`, inv, `{"supplier":{"vat_id":"DE2","name":"Acme"},` + cites(po) + `}`, "The suppliers' VAT ids differ."},
		{"buyer's VAT id", po, `{"number":"45",` + vat + `,"buyer":{"vat_id":"FR1"}}`, inv, `{` + vat + `,"buyer":{"vat_id":"FR2"},` + cites(po) + `}`, "The buyers' VAT ids differ."},
		{"contract behind an order", ct, `{"number":"45",` + vat + `}`, inv, `{` + vat + `,"references":[{"type":"contract","number":"45"},{"type":"purchase-order","number":"9"}]}`,
			"The invoice has an order: the order belongs to the contract, not the invoice."},
		{"no common company", po, `{"number":"45","supplier":{"name":"Acme"}}`, inv, `{"supplier":{"name":"Zenith"},` + cites(po) + `}`, "They name no common company."},
		{"another supplier for the same buyer", po, `{"number":"45","supplier":{"name":"Acme"},"buyer":{"vat_id":"FR1"}}`, inv, `{"supplier":{"name":"Zenith"},"buyer":{"vat_id":"FR1"},` + cites(po) + `}`,
			"They name no common company."},
		{"no company at all", po, `{"number":"45"}`, inv, `{` + cites(po) + `}`, "They name no common company."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := parsed(t, tc.aType, tc.a), parsed(t, tc.bType, tc.b)
			refusal(t, score(a, b), tc.why)
			// Without the citation it is not even worth a word.
			b.cites = slices.DeleteFunc(b.cites, func(c citation) bool { return c.Type == string(a.Type) })
			if e := score(a, b); e.Score != 0 || e.Reasoning != "" || e.refused() {
				t.Errorf("without a citation: got %+v", e)
			}
		})
	}
	t.Run("tenant", func(t *testing.T) {
		t.Parallel()
		a, b := parsed(t, po, `{"number":"45",`+vat+`}`), parsed(t, inv, `{`+vat+`,`+cites(po)+`}`)
		if e := score(a, b); e.Score < matchAt {
			t.Fatalf("the row proves nothing: score %v", e.Score)
		}
		b.TenantID = tenantB
		refusal(t, score(a, b), "They belong to different tenants.")
	})
}

func refusal(t *testing.T, e Edge, why string) {
	t.Helper()
	if e.Score != 0 || !e.refused() || !strings.HasPrefix(e.Reasoning, why+" ") {
		t.Errorf("got %v because %q, want a refusal because %q", e.Score, e.Reasoning, why)
	}
}

func TestEveryWeightIsUsed(t *testing.T) {
	t.Parallel()
	rest := map[string]bool{}
	for name := range weights {
		rest[name] = true
	}
	// Documents of a small world meet in every way sooner or later.
	random := rapid.Custom(drawDoc)
	for seed := 0; seed < 20_000 && len(rest) > 0; seed += 2 {
		for _, ev := range score(random.Example(seed), random.Example(seed+1)).Evidence {
			if ev.Points != weights[ev.Name] || ev.Points == 0 {
				t.Fatalf("%s weighs %d", ev.Name, ev.Points)
			}
			delete(rest, ev.Name)
		}
	}
	if len(rest) > 0 {
		t.Errorf("no pair of documents has the evidence %v", rest)
	}
}

// drawDoc draws a document of a world so small that its documents meet.
func drawDoc(t *rapid.T) doc {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	partyOf := func(label string) document.Party {
		return document.Party{Name: pick(label+" name", "", "Acme", "ACME GmbH", "Zenith"),
			VATID: pick(label+" VAT id", "", "", "DE1", "DE2"), IBAN: pick(label+" IBAN", "", "", "X1", "X2")}
	}
	amount := func(label string) document.Amount {
		a, _ := document.ParseAmount(pick(label, "", "0", "1", "1.0", "2"))
		return a
	}
	data := document.Data{
		Number: pick("number", "", "1", "01", "2"), Currency: pick("currency", "", "EUR", "eur", "USD"),
		Supplier: partyOf("supplier"), Buyer: partyOf("buyer"), Subtotal: amount("subtotal"), Total: amount("total"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		data.References = append(data.References, document.Reference{
			Type: string(rapid.SampledFrom(document.Types).Draw(t, "cited type")), Number: pick("cited", "1", "PO-1", "2", "3")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "lines") {
		data.Lines = append(data.Lines, document.Line{SKU: pick("sku", "a", "b"), Quantity: amount("quantity")})
	}
	var id uuid.UUID
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	tenant := rapid.SampledFrom([]uuid.UUID{tenantA, tenantA, tenantA, tenantB}).Draw(t, "tenant")
	return normalise(id, tenant, rapid.SampledFrom(document.Types).Draw(t, "type"), data)
}

func TestScoreIsTheSameFromBothSides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDoc(t), drawDoc(t)
		if a.ID == b.ID {
			t.Skip("a document is not compared with itself")
		}
		e, f := score(a, b), score(b, a)
		if !reflect.DeepEqual(e, f) {
			t.Fatalf("got %+v\nand %+v", e, f)
		}
		if e.Score < 0 || e.Score > 1 || slices.Compare(e.A[:], e.B[:]) >= 0 {
			t.Fatalf("score %v of %s and %s", e.Score, e.A, e.B)
		}
		if raw, err := json.Marshal(e.Evidence); err != nil || raw[0] != '[' {
			t.Fatalf("evidence is stored as %s, %v", raw, err)
		}
	})
}
