package bymodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// overHTTP returns a reader with an empty vault that asks a server with these answers over HTTP.
func overHTTP(t *testing.T, o scripted.Options) (*Reader, *scripted.Server, *vault) {
	t.Helper()
	o.KeepText = true
	server := must.Get(scripted.Start(t.Context(), o))(t)
	t.Cleanup(server.Close)
	client := must.Get(openai.New(openai.Config{APIKey: "any", BaseURL: server.URL(), Model: "gpt-4.1-mini"}))(t)
	v := &vault{answers: map[llm.Key]string{}}
	return &Reader{Asker: &llm.Asker{Model: client.Model(), Vault: v, Retry: llm.Retry{Tries: 1}}}, server, v
}

// Members are written in the order of the schema: the opinion of a result comes after it.
// Azure takes 100 properties on 5 levels.
func TestSchemaOrderAndLimits(t *testing.T) {
	t.Parallel()
	var sent json.RawMessage
	r, _, _ := overHTTP(t, scripted.Options{Mind: func(q scripted.Question) string {
		sent = q.Schema
		return answerOf(t, "[1]", nil)
	}})
	_, _, err := r.Extract(t.Context(), uuid.New(), uuid.New(), pages("x"))
	must.OK(t, err)
	properties, deepest := propertiesOf(t, sent)
	want := "documents type pages number value quote date value quote delivery_date value quote " +
		"period from value quote to value quote currency value quote " +
		"supplier name value quote vat_id iban address buyer name value quote vat_id iban address " +
		"payee name value quote iban buyer_reference value quote references type number quote " +
		"line_items sku description quantity unit unit_price price_quantity amount tax_rate quote " +
		"charges description amount tax_rate quote taxes rate base amount quote " +
		"subtotal value quote tax value quote total value quote prepaid value quote rounding value quote " +
		"amount_due value quote payment_terms due value quote text missing_fields confidence"
	if got := strings.Join(properties, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(properties) >= 100 || deepest > 5 {
		t.Errorf("%d properties on %d levels", len(properties), deepest)
	}
}

// propertiesOf lists the properties of a schema as they are written, and the levels below its
// root.
func propertiesOf(t *testing.T, raw json.RawMessage) (names []string, deepest int) {
	t.Helper()
	var walk func(raw json.RawMessage, level int)
	walk = func(raw json.RawMessage, level int) {
		deepest = max(deepest, level)
		var n struct{ Properties, Items json.RawMessage }
		must.OK(t, json.Unmarshal(raw, &n))
		if n.Items != nil {
			walk(n.Items, level+1)
		}
		if n.Properties == nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(n.Properties))
		must.Get(d.Token())(t)
		for d.More() {
			names = append(names, must.Get(d.Token())(t).(string))
			var below json.RawMessage
			must.OK(t, d.Decode(&below))
			walk(below, level+1)
		}
	}
	walk(raw, 0)
	return names, deepest
}

// An address, an id and a wrapped description need no quote: their words are on the page.
func TestValuesOverLines(t *testing.T) {
	t.Parallel()
	text := pages("Nordlicht GmbH\nHafenweg 3\n20457 Hamburg\nIBAN DE02 1203 0000 0000\n2020 51\nPapier A4 2 5,00 10,00\nweiss, 80 g")
	party := func(address, iban string) string {
		return fmt.Sprintf(`{"name":null,"vat_id":null,"iban":%q,"address":%q}`, iban, address)
	}
	for name, c := range map[string]struct{ supplier, want, dropped string }{
		"as printed": {party("Hafenweg 3\n20457 Hamburg", "DE02 1203 0000 0000 2020 51"),
			"Hafenweg 3, 20457 Hamburg DE02 1203 0000 0000 2020 51", ""},
		"with commas, without blanks": {party("Hafenweg 3, 20457 Hamburg", "DE02120300000000202051"),
			"Hafenweg 3, 20457 Hamburg DE02120300000000202051", ""},
		"a line left out": {party("Nordlicht GmbH\n20457 Hamburg", "DE02 1203 0000 2020 51"), " ", "supplier.iban supplier.address"},
	} {
		found, _, err := extract(t, text, answerOf(t, "[1]", map[string]string{"supplier": c.supplier,
			"line_items": "[" + lineOf("Papier A4 2 5,00 10,00", "Papier A4\nweiss, 80 g", "2", "5.00", "10.00") + "," +
				lineOf("Papier A4 2 5,00 20,00", "Papier A4", "2", "5.00", "20.00") + "]"}))
		must.OK(t, err, name)
		e := found[0]
		if got := e.Data.Supplier.Address + " " + e.Data.Supplier.IBAN; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if got := strings.Join(e.Dropped, " "); got != strings.TrimSpace(c.dropped+" line_items.0.description line_items.1") {
			t.Errorf("%s: dropped %q", name, got)
		}
		if f := e.Fields["line_items.0.amount"]; len(e.Data.Lines) != 1 || f.Quote != "Papier A4 2 5,00 10,00" || f.Value != "10" {
			t.Errorf("%s: got lines %+v, %+v", name, e.Data.Lines, f)
		}
	}
}
