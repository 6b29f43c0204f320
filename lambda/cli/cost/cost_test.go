package cost

import (
	"testing"
	"time"
)

// paid is a load whose figures are round.
func paid(t *testing.T) Load {
	t.Helper()
	prices, err := readPrices(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := simple(t)
	for figure, value := range map[*Figure]float64{
		&m.SweepMS: 100, &m.Pollers: 5, &m.PollSeconds: 20, &m.StoredBytes: 10_000, &m.WALBytes: 40_960, &m.Blocks: 1000, &m.MissedShare: 0.01,
		&m.CoresPerACU: 0.25, &m.BusyHours: 100, &m.HotDays: 1, &m.MinACU: 0.5, &m.NATBytes: 10_000, &m.NATCount: 1, &m.PublicAddress: 1,
		&m.LogBytes: 300, &m.LogBytesBatch: 1000, &m.LogBytesSweep: 1000, &m.LogMonths: 1, &m.Metrics: 10, &m.Alarms: 10, &m.Dashboards: 1,
		&m.Secrets: 3, &m.Keys: 1, &m.EmbeddedTokens: 20, &m.RepeatsPerQuestion: 1,
	} {
		figure.Value = value
	}
	for price, usd := range map[*Price]float64{
		&prices.LambdaRequests: 0.2, &prices.LambdaGBSecond: 0.00001, &prices.SQSRequests: 0.4, &prices.AuroraACUHour: 0.1, &prices.AuroraStorage: 0.1,
		&prices.AuroraIO: 0.2, &prices.LogsIngested: 0.5, &prices.LogsStored: 0.03, &prices.Metric: 0.3, &prices.Alarm: 0.1, &prices.Dashboard: 3,
		&prices.Secret: 0.4, &prices.Key: 1, &prices.Schedule: 1, &prices.NATHour: 0.05, &prices.NATGB: 0.05, &prices.AddressHour: 0.01,
	} {
		price.USD = usd
	}
	return Load{
		Work:      Work{Questions: 0.25, Latency: Latency{Min: time.Second, Max: time.Second}, Tenants: 1, MemoryMB: 1024, Pool: 5, Measured: m},
		Documents: 1_000_000, BatchSize: 1, SweepMB: 256, MonthsKept: 12, Aurora: true, Embeddings: true,
		Model: modelPrice{Prompt: 0.4, Completion: 1.6, Embedding: 0.02}, Prices: prices,
	}
}

// A million documents ask 250,000 questions, and because of those there are
// 1,250,000 messages.
func TestBillAddsUpWhatIsPaidFor(t *testing.T) {
	t.Parallel()
	l := paid(t)
	b := l.Bill()
	batch := 0.010 + 0.2*0.004 + 0.002*1769/1024 + 0.003 + 0.2*1 // one in five messages asks
	for part, want := range map[string]float64{
		partLambda:   1.25*0.2 + 1_250_000*batch*0.00001 + 0.0438*0.2 + 43_800*0.1*0.25*0.00001,
		partSQS:      3*1.25*0.4 + 0.657*0.4,
		partDatabase: 365*0.1 + 120*0.1 + 1_250_000*20/1e6*0.2,
		partNetwork:  730*0.05 + 730*0.01 + 12.5*0.05,
		partWatch:    (0.375+1.25)*(0.5+0.03) + 0.0438*0.5 + 10*0.3 + 10*0.1 + 3,
		partSecrets:  3*0.4 + 1 + 0.0438,
		partModel:    250_000*(455*0.4+30*1.6)/1e6 + 20*0.02,
	} {
		near(t, part, b.Part(part), want)
	}
	sum := 0.0
	for _, part := range parts {
		sum += b.Part(part)
	}
	near(t, "the sum of the parts", b.USD, sum)
}

func TestWithoutADocumentOnlyWhatIsFixedIsPaid(t *testing.T) {
	t.Parallel()
	l := paid(t)
	fixed := l.Bill().Fixed()
	l.Documents = 0
	near(t, "no documents", l.Bill().USD, fixed)
	near(t, "and what is fixed then", l.Bill().Fixed(), fixed)
}

func TestDatabaseThatIsThereCostsNothing(t *testing.T) {
	t.Parallel()
	l := paid(t)
	l.Aurora = false
	if b := l.Bill(); b.Part(partDatabase) != 0 || b.Part(partNetwork) != 0 {
		t.Errorf("database %v, network %v, want 0", b.Part(partDatabase), b.Part(partNetwork))
	}
}

func TestAuroraGrowsInHalvesWithProcessorsOrMemory(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		documents, execution, hotDays float64
		want                          float64
	}{
		"idle":                                   {0, 3, 1, 0.5},
		"3 ms of a million are below the least":  {1_000_000, 3, 0, 0.5},
		"100,000 s in 100 h are 0.463 cores":     {800_000, 100, 0, 2},
		"a day's 10 KB of each are below 0.5":    {1_000_000, 0, 1, 0.5},
		"thirty times as much is 4.66 ACU of it": {30_416_667, 0, 1, 5},
	} {
		l := paid(t)
		l.Documents, l.Measured.ExecutionMS.Value, l.Measured.HotDays.Value = tc.documents, tc.execution, tc.hotDays
		if idle, busy := l.ACUs(); idle != 0.5 || busy != tc.want {
			t.Errorf("%s: got %v and %v, want 0.5 and %v", name, idle, busy, tc.want)
		}
	}
}

func TestLargerBatchesSaveRequests(t *testing.T) {
	t.Parallel()
	l := paid(t)
	one := l.Bill()
	l.BatchSize = 10
	ten := l.Bill()
	near(t, "SQS in tens", ten.Part(partSQS), 3*0.125*0.4+0.657*0.4)
	if ten.Part(partLambda) >= one.Part(partLambda) {
		t.Errorf("Lambda: %v in tens, %v one by one", ten.Part(partLambda), one.Part(partLambda))
	}
}
