package cost

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// wholeNeeds has figures that a person can reckon with.
func wholeNeeds(t *testing.T) needs {
	t.Helper()
	n, err := readNeeds()
	if err != nil {
		t.Fatal(err)
	}
	for figure, value := range map[*Figure]float64{
		&n.FileMS: 100, &n.PageMS: 50, &n.ScanMS: 100, &n.ScanSeconds: 2, &n.AtOnce: 4,
		&n.FilePrompt: 1000, &n.PagePrompt: 500, &n.FileAnswer: 500,
		&n.ChunkWords: 500, &n.ChunkCalls: 2.5, &n.ChunkMS: 17.69, &n.ChunkPrompt: 2000, &n.ChunkAnswer: 100,
		&n.SetMS: 1.024, &n.FileDatabaseMS: 10, &n.ChunkDatabaseMS: 8, &n.SetDatabaseMS: 2,
	} {
		figure.Value = value
	}
	return n
}

// By hand, with answers of 2 s, 0.40 and 1.60 USD a million tokens, 0.00001 USD a
// GB-second, and 0.2 and 0.4 USD a million requests. The ingest function has 2 GB (a
// whole core) and batches of 4, review 0.5 GB (512 of 1,769 MB) and batches of 10 with
// 5 calls at once, offer 1 GB and batches of 100, ten messages in a request.
func TestOtherWorkloadsAddUp(t *testing.T) {
	t.Parallel()
	l := paid(t)
	l.Prices.TextractPages.USD = 1.5
	file := 0.1 + 4*0.05 + 0.01 + 2.0/4
	scan := 0.1 + 4*0.05 + 4*0.1 + 0.01 + (2+4*2.0/4)/4
	contract := 40*0.01769*1769/512 + 40*0.008 + 100*2.0/5
	day := 1000*0.001024*1769/1024 + 1000*0.002
	requests := func(messages, batch float64) float64 { return messages / batch * (0.2 + 3*0.4) / 1e6 }
	ofOffers := (1000*0.2/100 + 1000*3*0.4/10) / 1e6
	others := Others{Pages: 4, Words: 20_000, Users: 1000}
	pieces := others.pieces(wholeNeeds(t), Latency{Min: 2 * time.Second, Max: 2 * time.Second})
	for i, want := range []PieceCost{
		{Name: "a file of 4 pages with text", Model: (3000*0.4 + 500*1.6) / 1e6, Lambda: file*2*0.00001 + requests(1, 4)},
		{Name: "a scan of 4 pages, by Textract", Model: (3000*0.4 + 500*1.6) / 1e6, OCR: 0.006, Lambda: scan*2*0.00001 + requests(1, 4)},
		{Name: "a contract of 20,000 words", Model: 100 * (2000*0.4 + 100*1.6) / 1e6, Lambda: contract*0.5*0.00001 + requests(40, 10)},
		{Name: "a day of 1,000 users", Lambda: day*0.00001 + ofOffers},
	} {
		got := pieces[i].cost(l.Prices, l.Model, 1)
		if got.Name != want.Name {
			t.Errorf("got %s, want %s", got.Name, want.Name)
		}
		near(t, got.Name+", model", got.Model, want.Model)
		near(t, got.Name+", OCR", got.OCR, want.OCR)
		near(t, got.Name+", Lambda", got.Lambda, want.Lambda)
		near(t, got.Name+", sum", got.USD, want.Model+want.OCR+want.Lambda)
	}
	s := System{Work: l.Work, Cores: 1}
	s.Measured.Busy.Value, s.Measured.CoreSpeed.Value = 0.5, 1
	for i, want := range []PieceRate{
		{"", 8 * 3600 / file, limitConcurrency}, {"", 8 * 3600 / scan, limitConcurrency},
		{"", 12 * 3600 / contract, limitConcurrency}, {"", 900, limitDatabase}, // half a core, 2 s for each day
	} {
		got := pieces[i].rate(s)
		near(t, got.Name+", an hour", got.AnHour, want.AnHour)
		if got.Binding != want.Binding {
			t.Errorf("%s is limited by %s, want %s", got.Name, got.Binding, want.Binding)
		}
	}
	s.RequestsAMinute, s.TokensAMinute = 100, 210_000
	if got := pieces[2].rate(s); got.AnHour != 60 || got.Binding != limitRequests { // 100 calls, of 2,100 tokens each
		t.Errorf("a contract: got %+v, want 60 an hour by requests", got)
	}
	s.TokensAMinute = 105_000
	if got := pieces[2].rate(s); got.AnHour != 30 || got.Binding != limitTokens {
		t.Errorf("a contract: got %+v, want 30 an hour by tokens", got)
	}
}

// Each figure has its origin, as those of matching have.
func TestNeedsOfOtherWorkloadsSayWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("workloads.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for name, figure := range all {
		text := string(figure)
		if name != "date" && name != "machine" && !strings.Contains(text, `"from": "measured: `) && !strings.Contains(text, `"from": "assumed: `) {
			t.Errorf("%s: %s", name, text)
		}
	}
	delete(all, "set_ms")
	less, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var n needs
	if err := read(less, &n); err == nil || !strings.Contains(err.Error(), "set_ms") {
		t.Errorf("a figure that is forgotten is free: %v", err)
	}
}
