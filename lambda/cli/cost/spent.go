// Package cost prices the stored answers and embeddings of models, by tenant, day and model.
// Prices come from models.json, each with its date and source, or from the user's file.
package cost

import (
	"cmp"
	"math"
	"slices"

	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Spent is the report of cost. Call Add before Text.
type Spent struct {
	Since        string       `json:"since,omitempty"`
	Prices       *ModelPrices `json:"prices"`
	Days         []expense    `json:"days"`
	Tenants      []expense    `json:"tenants"`
	Models       []expense    `json:"models"`
	Total        expense      `json:"total"`
	WithoutPrice []string     `json:"without_price"`
}

// expense is the use of a model on a day by a tenant, or a sum over some of these.
type expense struct {
	TenantID         *uuid.UUID `json:"tenant_id,omitempty"`
	Day              string     `json:"day,omitempty"`
	Model            string     `json:"model,omitempty"`
	Calls            int        `json:"calls"`
	Unusable         int        `json:"unusable"`
	PromptTokens     int        `json:"prompt_tokens"`
	CompletionTokens int        `json:"completion_tokens"`
	Embeddings       int        `json:"embeddings"`
	EmbeddingTokens  float64    `json:"embedding_tokens"`
	USD              *float64   `json:"usd"` // nil: unknown price
	CallsSaved       int        `json:"calls_saved"`
	EmbeddingsSaved  int        `json:"embeddings_saved"`
	USDSaved         *float64   `json:"usd_saved"`
	Incomplete       bool       `json:"incomplete"`
}

// Add prices the purchases and sums them up. It must get all of them at once.
func (r *Spent) Add(spent []report.Spent) {
	r.Days, r.Tenants, r.Models = []expense{}, []expense{}, []expense{}
	for _, s := range spent {
		b := r.Prices.bill(s)
		r.Days = append(r.Days, b)
		r.Tenants = addTo(r.Tenants, expense{TenantID: b.TenantID}, b,
			func(sum expense) bool { return *sum.TenantID == *b.TenantID })
		r.Models = addTo(r.Models, expense{Model: b.Model}, b, func(sum expense) bool { return sum.Model == b.Model })
		r.Total.add(b)
	}
	slices.SortFunc(r.Models, func(a, b expense) int { return cmp.Compare(a.Model, b.Model) })
	for _, m := range r.Models {
		if m.Incomplete {
			r.WithoutPrice = append(r.WithoutPrice, m.Model)
		}
	}
	for _, list := range [][]expense{r.Days, r.Tenants, r.Models} {
		for i := range list { // because adding fractions adds noise
			list[i].EmbeddingTokens = math.Round(list[i].EmbeddingTokens*1000) / 1000
		}
	}
	r.Total.EmbeddingTokens = math.Round(r.Total.EmbeddingTokens*1000) / 1000
}

func addTo(sums []expense, empty, b expense, its func(expense) bool) []expense {
	i := slices.IndexFunc(sums, its)
	if i < 0 {
		i, sums = len(sums), append(sums, empty)
	}
	sums[i].add(b)
	return sums
}

func (b *expense) add(o expense) {
	b.Calls += o.Calls
	b.Unusable += o.Unusable
	b.PromptTokens += o.PromptTokens
	b.CompletionTokens += o.CompletionTokens
	b.Embeddings += o.Embeddings
	b.EmbeddingTokens += o.EmbeddingTokens
	b.CallsSaved += o.CallsSaved
	b.EmbeddingsSaved += o.EmbeddingsSaved
	b.Incomplete = b.Incomplete || o.Incomplete
	b.USD = plus(b.USD, o.USD)
	b.USDSaved = plus(b.USDSaved, o.USDSaved)
}

// plus adds amounts; nil is unknown and doesn't count.
func plus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *a + *b
	return &sum
}
