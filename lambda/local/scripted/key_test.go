package scripted

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

func numbered(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("30000000-0000-4000-8000-%012d", n))
}

func TestMostInCommon(t *testing.T) {
	t.Parallel()
	raw := func(number, notes string) score.Raw {
		return score.Raw{ID: uuid.New(), Type: "invoice", Data: fmt.Sprintf(`{"number":%q,"currency":"EUR","notes":%q}`, number, notes)}
	}
	for _, tc := range []struct {
		candidates []string // notes
		want       []string // what is chosen
	}{
		{[]string{"blue", "red"}, []string{"red"}},
		{[]string{"red", "red"}, nil},
		{[]string{"blue", "green"}, nil},
	} {
		var list []score.Raw
		for i, notes := range tc.candidates {
			list = append(list, raw(fmt.Sprint(i), notes))
		}
		q, order, err := match.QuestionOf(raw("R-1", "red"), list, nil)
		must.OK(t, err)
		got := []string(nil)
		for _, i := range chosen(t, mostInCommon(Question{User: q.User})) {
			got = append(got, tc.candidates[order[i]])
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%v: got %v, want %v", tc.candidates, got, tc.want)
		}
	}
	if got := mostInCommon(Question{User: "hello"}); got != "" {
		t.Errorf("no match question: got %q", got)
	}
}

// chosen lists the candidates of an answer, from 0.
func chosen(t *testing.T, text string) (list []int) {
	t.Helper()
	var answer struct {
		Candidates []struct {
			Candidate int
			Verdict   string
		}
	}
	must.OK(t, json.Unmarshal([]byte(text), &answer))
	for _, c := range answer.Candidates {
		if c.Verdict != "none" {
			list = append(list, c.Candidate-1)
		}
	}
	return list
}

func TestFollowsCitations(t *testing.T) {
	t.Parallel()
	order := func(number, notes string) score.Raw {
		return score.Raw{ID: uuid.New(), Type: "purchase-order", Data: fmt.Sprintf(`{"number":%q,"notes":%q}`, number, notes)}
	}
	for cites, want := range map[string]int{
		`{"type":"purchase-order","number":"B-1"}`:                                          1,
		`{"type":"purchase-order","number":"B-9"},{"type":"purchase-order","number":"B-1"}`: 1,
		`{"type":"purchase-order","number":"B-9"}`:                                          -1,
		`{"type":"delivery-note","number":"B-9"}`:                                           2,
		`{"number":"B-9"}`: 2,
	} {
		candidates := []score.Raw{order("B-1", "blue"), order("B-2", "red")}
		q, shuffled, err := match.QuestionOf(score.Raw{ID: uuid.New(), Type: "invoice",
			Data: `{"number":"R-1","notes":"red","references":[` + cites + `]}`}, candidates, nil)
		must.OK(t, err)
		got := -1
		for _, i := range chosen(t, mostInCommon(Question{User: q.User})) {
			got = shuffled[i] + 1
		}
		if got != want {
			t.Errorf("cites %s: chosen is order %d, want %d", cites, got, want)
		}
	}
}

// The prompt holds no ids. Of documents that say the same it is the one of the
// tenant that has the others, too, and then the one that is linked.
func TestAnswerKey(t *testing.T) {
	t.Parallel()
	one, two := numbered(1001), numbered(1002) // tenants
	raw := func(n int, tenant uuid.UUID, typ, number string) score.Raw {
		return score.Raw{ID: numbered(n), TenantID: tenant, Type: document.Type(typ), Data: `{"number":"` + number + `"}`}
	}
	invoice1, invoice2 := raw(1, one, "invoice", "R-1"), raw(2, two, "invoice", "R-1") // the same in two tenants
	order1, orderCopy, order2 := raw(3, one, "purchase-order", "B-1"), raw(4, one, "purchase-order", "B-1"), raw(5, two, "purchase-order", "B-2")
	orders := []score.Raw{order1, order2, raw(7, one, "purchase-order", "B-7")} // the last is unknown
	for name, tc := range map[string]struct {
		link [2]score.Raw
		asks []score.Raw // orders
		want []bool
	}{
		"linked with a copy":             {[2]score.Raw{invoice1, orderCopy}, orders[:1], []bool{true}},
		"linked, and of another tenant":  {[2]score.Raw{invoice2, order2}, orders[1:2], []bool{true}},
		"tenant that has all the others": {[2]score.Raw{invoice2, order1}, orders[:1], []bool{false}},
		"unknown beside a known one":     {[2]score.Raw{invoice1, order1}, []score.Raw{orders[0], orders[2]}, []bool{true, false}},
		"unknown":                        {[2]score.Raw{invoice1, order1}, orders[2:], []bool{false}},
	} {
		k := newAnswerKey([]corpus.Pair{corpus.PairOf(tc.link[0].ID, tc.link[1].ID)})
		k.learn([]score.Raw{invoice1, invoice2, order1, orderCopy, order2, {ID: numbered(6), Data: "no JSON"}})
		q, order, err := match.QuestionOf(invoice1, tc.asks, nil)
		must.OK(t, err)
		document, texts, ok := asked(q.User)
		if !ok {
			t.Fatalf("%s: it takes this for no question: %s", name, q.User)
		}
		for i, belongs := range k.belong(document, texts) {
			if belongs != tc.want[order[i]] {
				t.Errorf("%s: candidate %d: got %t, want %t", name, order[i], belongs, tc.want[order[i]])
			}
		}
	}
	if _, _, ok := asked("no question"); ok {
		t.Error("took a text that is no question")
	}
}
