package drill

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// matching is the workload of the match function: business documents, published in batches.
func matching() *workload {
	return &workload{
		Function: manifest.Match, workers: 4, portion: 20,
		about:    "id",
		contents: []string{"normalized_counterparty", "normalized_references", "match_keys"},
		effects:  []effect{{"document_match", ""}, {"match_suggestion", ""}, {"match_pair", ""}},
		results: `
SELECT document_a_id, 'match with ' || document_b_id, confidence || ' by ' || decided_by FROM document_match`,
		found:  "matches",
		supply: (*papers).documents,
		publish: func(l *line, ctx context.Context, ids []uuid.UUID) error {
			return l.lane(manifest.Match.Name).Publish().Publish(ctx, ids)
		},
		checks: []check{
			{"I13", "clusters equal a union-find's", (*evidence).sameClusters},
			{"I14", "both documents of a match belong to one tenant", (*evidence).tenants},
		},
	}
}

const (
	clustersSQL = `
SELECT id, coalesce(type::text, ''), cluster_id FROM document`
	matchesSQL = `
SELECT m.document_a_id, m.document_b_id, a.tenant_id, b.tenant_id
FROM document_match AS m JOIN document AS a ON a.id = m.document_a_id JOIN document AS b ON b.id = m.document_b_id`
)

type clustered struct {
	ID      uuid.UUID
	Type    string
	Cluster *uuid.UUID
}

type edge struct{ A, B, TenantA, TenantB uuid.UUID }

// papers are the things of a drill, in publishing order, and what is known about them.
type papers struct {
	things  map[string][]thing // by workload
	random  *rand.Rand
	tenants []uuid.UUID
	numbers map[string]uuid.UUID // what a question with this printed number is about

	files  map[uuid.UUID]file         // by document
	agreed map[uuid.UUID]agreement    // by review
	users  map[uuid.UUID][]offer.User // by tenant

	all  []postgres.Imported
	open map[uuid.UUID]bool // documents with matches decided by a model
	true map[corpus.Pair]bool
}

// newPapers creates the things of the workloads from the seed.
func newPapers(list []*workload, documents int, seed uint64) *papers {
	p := &papers{things: map[string][]thing{}, random: rand.New(rand.NewPCG(seed, 1)), numbers: map[string]uuid.UUID{},
		files: map[uuid.UUID]file{}, agreed: map[uuid.UUID]agreement{}, users: map[uuid.UUID][]offer.User{},
		open: map[uuid.UUID]bool{}, true: map[corpus.Pair]bool{}}
	for range 4 {
		p.tenants = append(p.tenants, p.id())
	}
	for _, w := range list {
		p.things[w.Name] = w.supply(p, documents)
	}
	for _, w := range list {
		things := p.things[w.Name]
		p.random.Shuffle(len(things), func(i, j int) { things[i], things[j] = things[j], things[i] })
	}
	return p
}

// documents creates at least n documents: purchases of several tenants, most of one tenant. In two
// of three, confirmation, delivery note and invoice cite the order. In the third, two invoices fit
// the order equally well and cite nothing, so a model must decide.
func (p *papers) documents(n int) (things []thing) {
	for i := 0; len(p.all) < n; i++ {
		if i%3 == 2 {
			p.openPurchase(i)
		} else {
			p.citedPurchase(i)
		}
	}
	for _, d := range p.all {
		things = append(things, thing{d.ID, p.open[d.ID]})
	}
	return things
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

// ids returns the ids of things.
func ids(things []thing) []uuid.UUID {
	list := make([]uuid.UUID, len(things))
	for i, t := range things {
		list[i] = t.id
	}
	return list
}

// sortedPairs returns the keys of a map, sorted by id.
func sortedPairs[T any](m map[corpus.Pair]T) []corpus.Pair {
	return slices.SortedFunc(maps.Keys(m), func(a, b corpus.Pair) int {
		return cmp.Or(bytes.Compare(a.A[:], b.A[:]), bytes.Compare(a.B[:], b.B[:]))
	})
}

// choosesAll is a model matching all candidates.
func choosesAll(candidates int) string {
	matches := make([]string, candidates)
	for n := range matches {
		matches[n] = fmt.Sprintf(`{"candidate":%d,"confidence":"high","reasoning":"Scripted."}`, n+1)
	}
	return `{"matches":[` + strings.Join(matches, ",") + `]}`
}

func (e *evidence) sameClusters() {
	want, size := e.unions(), map[uuid.UUID]int{}
	for _, root := range want {
		size[root]++
	}
	for _, d := range e.clusters {
		root := want[d.ID]
		if alone := size[root] == 1; alone != (d.Cluster == nil) || !alone && *d.Cluster != root {
			e.broken(d.ID, "cluster is %v, expected %s of %d", d.Cluster, root, size[root])
		}
	}
}

func (e *evidence) tenants() {
	for _, m := range e.matches {
		if m.TenantA != m.TenantB {
			e.broken(m.A, "matched with %s of another tenant", m.B)
		}
	}
}

// unions returns each row's smallest neighbor, or itself, from a union-find over the
// matches without contracts.
func (e *evidence) unions() map[uuid.UUID]uuid.UUID {
	parent := map[uuid.UUID]uuid.UUID{}
	for _, d := range e.clusters {
		parent[d.ID] = d.ID
	}
	find := func(id uuid.UUID) uuid.UUID {
		for parent[id] != id {
			parent[id] = parent[parent[id]]
			id = parent[id]
		}
		return id
	}
	contract := map[uuid.UUID]bool{}
	for _, d := range e.clusters {
		contract[d.ID] = d.Type == "contract"
	}
	for _, m := range e.matches {
		if contract[m.A] || contract[m.B] {
			continue
		}
		a, b := find(m.A), find(m.B)
		if bytes.Compare(a[:], b[:]) > 0 {
			a, b = b, a
		}
		parent[b] = a // the smallest is the root
	}
	for id := range parent {
		parent[id] = find(id)
	}
	return parent
}
