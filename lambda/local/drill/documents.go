package drill

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// papers are the documents of a drill, in publishing order, and their true links.
type papers struct {
	all     []postgres.Imported
	numbers map[string]uuid.UUID // by printed number
	open    map[uuid.UUID]bool   // documents with matches decided by a model
	true    map[corpus.Pair]bool
	random  *rand.Rand
	tenants []uuid.UUID
}

// newPapers creates at least n documents from the seed: purchases of several tenants, most of
// one tenant. In two of three, confirmation, delivery note and invoice cite the order. In the
// third, two invoices fit the order equally well and cite nothing, so a model must decide.
func newPapers(n int, seed uint64) *papers {
	p := &papers{numbers: map[string]uuid.UUID{}, open: map[uuid.UUID]bool{}, true: map[corpus.Pair]bool{},
		random: rand.New(rand.NewPCG(seed, 1))}
	for range 4 {
		p.tenants = append(p.tenants, p.id())
	}
	for i := 0; len(p.all) < n; i++ {
		if i%3 == 2 {
			p.openPurchase(i)
		} else {
			p.citedPurchase(i)
		}
	}
	p.random.Shuffle(len(p.all), func(i, j int) { p.all[i], p.all[j] = p.all[j], p.all[i] })
	return p
}

func (p *papers) id() (id uuid.UUID) {
	for i := range id {
		id[i] = byte(p.random.UintN(256))
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

// tenant returns the first tenant in seven of ten cases.
func (p *papers) tenant() uuid.UUID {
	if p.random.IntN(10) < 7 {
		return p.tenants[0]
	}
	return p.tenants[1+p.random.IntN(len(p.tenants)-1)]
}

// company returns a random name, dissimilar to all others.
func (p *papers) company() string {
	letters := make([]byte, 14)
	for i := range letters {
		letters[i] = byte('a' + p.random.IntN(26))
	}
	return string(letters)
}

func (p *papers) citedPurchase(i int) {
	tenant, company := p.tenant(), p.company()
	order := p.add(tenant, document.PurchaseOrder, fmt.Sprintf("PO%05d", i), company, i, "05", "")
	cites := fmt.Sprintf(`,"references":[{"type":"purchase-order","number":"PO%05d"}]`, i)
	confirmation := p.add(tenant, document.OrderConfirmation, fmt.Sprintf("OC%05d", i), company, i, "06", cites)
	delivery := p.add(tenant, document.DeliveryNote, fmt.Sprintf("DN%05d", i), company, i, "09", cites)
	invoice := p.add(tenant, document.Invoice, fmt.Sprintf("RE%05d", i), company, i, "15", cites)
	for _, link := range []corpus.Pair{corpus.PairOf(order, confirmation), corpus.PairOf(order, delivery), corpus.PairOf(order, invoice),
		corpus.PairOf(delivery, invoice)} {
		p.true[link] = true
	}
}

func (p *papers) openPurchase(i int) {
	tenant, company := p.tenant(), p.company()
	order := p.add(tenant, document.PurchaseOrder, fmt.Sprintf("PO%05d", i), company, i, "05", "")
	for n, day := range []string{"15", "16"} {
		invoice := p.add(tenant, document.Invoice, fmt.Sprintf("RE%05d-%d", i, n+1), company, i, day, "")
		p.true[corpus.PairOf(order, invoice)] = true
		p.open[order], p.open[invoice] = true, true
	}
}

func (p *papers) add(tenant uuid.UUID, kind document.Type, number, company string, i int, day, cites string) uuid.UUID {
	data := fmt.Sprintf(`{"number":%q,"supplier":{"name":%q},"currency":"EUR","date":"2026-01-%s","total":"%d.80",
		"line_items":[{"sku":"L%05d","quantity":"20","unit_price":"%d.19"}]%s}`,
		number, company, day, (100+i)*20+3, i, 100+i, cites)
	id := p.id()
	p.numbers[number] = id
	p.all = append(p.all, postgres.Imported{ID: id, TenantID: tenant, Type: kind, FilePath: number,
		Data: json.RawMessage(data)})
	return id
}

// ids returns the ids of documents.
func ids(docs []postgres.Imported) []uuid.UUID {
	list := make([]uuid.UUID, len(docs))
	for i, d := range docs {
		list[i] = d.ID
	}
	return list
}

// sortedPairs returns the keys of a map, sorted by id.
func sortedPairs[T any](m map[corpus.Pair]T) []corpus.Pair {
	return slices.SortedFunc(maps.Keys(m), func(a, b corpus.Pair) int {
		return cmp.Or(bytes.Compare(a.A[:], b.A[:]), bytes.Compare(a.B[:], b.B[:]))
	})
}
