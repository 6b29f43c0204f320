package cost

import (
	"math"

	"matchbook/lambda/manifest"
)

const (
	monthHours   = 730.0
	monthSeconds = monthHours * 3600
	daysOfMonth  = monthHours / 24
	gigabyte     = 1e9
	million      = 1e6
	storageBlock = 4096 // Aurora counts its writes in these
)

// modelPrice is the price of a model, in USD per million tokens.
type modelPrice struct{ Prompt, Completion, Embedding float64 }

// Load is the work of a month, and everything that its price depends on.
type Load struct {
	Work
	Documents  float64 // a month
	BatchSize  int     // documents in an invocation, on average
	SweepMB    int     // memory of the sweep
	MonthsKept float64 // of documents in the database
	Aurora     bool    // a new Aurora Serverless v2 in a VPC; else a database that is paid for anyway
	Embeddings bool
	Model      modelPrice
	Prices     Prices
}

// item is one line of a bill.
type item struct {
	Part     string  `json:"part"`
	What     string  `json:"what"`
	Quantity float64 `json:"quantity"`
	Unit     string  `json:"unit"`
	Fixed    bool    `json:"fixed"` // it costs the same without any document
	USD      float64 `json:"usd"`
}

// The parts of a bill.
const (
	partLambda   = "Lambda"
	partSQS      = "SQS"
	partDatabase = "Database"
	partNetwork  = "NAT"
	partWatch    = "CloudWatch"
	partSecrets  = "Secrets"
	partModel    = "Model"
)

// parts is the order of the parts in a bill.
var parts = []string{partModel, partLambda, partSQS, partDatabase, partNetwork, partWatch, partSecrets}

// Bill is the cost of a month.
type Bill struct {
	Documents float64 `json:"documents"`
	Questions float64 `json:"questions_per_document"`
	Items     []item  `json:"items"`
	USD       float64 `json:"usd"`
}

// Part is the sum of one part.
func (b Bill) Part(name string) (usd float64) {
	for _, i := range b.Items {
		if i.Part == name {
			usd += i.USD
		}
	}
	return usd
}

// Fixed is the cost without any document.
func (b Bill) Fixed() (usd float64) {
	for _, i := range b.Items {
		if i.Fixed {
			usd += i.USD
		}
	}
	return usd
}

// Bill calculates the cost of a month.
func (l Load) Bill() Bill {
	b := Bill{Documents: l.Documents, Questions: l.Questions}
	for _, items := range [][]item{
		l.lambda(), l.queue(), l.database(), l.network(), l.watch(), l.secrets(), l.model(),
	} {
		for _, i := range items {
			b.Items = append(b.Items, i)
			b.USD += i.USD
		}
	}
	return b
}

// charge multiplies its quantity with a price per so many.
func charge(part, what string, quantity float64, unit string, p Price, per float64) item {
	return item{Part: part, What: what, Quantity: quantity, Unit: unit, USD: quantity / per * p.USD}
}

func fixed(i item) item {
	i.Fixed = true
	return i
}

func (l Load) messages() float64    { return l.Documents * l.Deliveries() }
func (l Load) invocations() float64 { return l.messages() / float64(l.BatchSize) }
func sweeps() float64               { return monthHours * 60 }

func (l Load) lambda() []item {
	p, m := l.Prices, l.Measured
	gbSeconds := l.invocations() * l.Batch(l.BatchSize).Seconds() * float64(l.MemoryMB) / 1024
	sweep := sweeps() * m.SweepMS.Value / 1000 * float64(l.SweepMB) / 1024
	return []item{
		charge(partLambda, "invocations", l.invocations(), "requests", p.LambdaRequests, million),
		charge(partLambda, "duration", gbSeconds, "GB-seconds", p.LambdaGBSecond, 1),
		fixed(charge(partLambda, "sweep, invocations", sweeps(), "requests", p.LambdaRequests, million)),
		fixed(charge(partLambda, "sweep, duration", sweep, "GB-seconds", p.LambdaGBSecond, 1)),
	}
}

// queue counts a request each for sending, receiving and deleting the messages of an
// invocation, ten at most in a request: publishers are assumed to send as many at a
// time as an invocation takes. A retry is a change of visibility.
func (l Load) queue() []item {
	p, m := l.Prices, l.Measured
	batch, polls := inACall(l.BatchSize), m.Pollers.Value*monthSeconds/m.PollSeconds.Value
	retries := l.Documents * m.RetriesPerDocument.Value
	return []item{
		charge(partSQS, "sends", l.messages()/batch, "requests", p.SQSRequests, million),
		charge(partSQS, "receives", l.messages()/batch, "requests", p.SQSRequests, million),
		charge(partSQS, "deletes", l.messages()/batch, "requests", p.SQSRequests, million),
		charge(partSQS, "changes of visibility", retries, "requests", p.SQSRequests, million),
		fixed(charge(partSQS, "polls of the empty queue", polls, "requests", p.SQSRequests, million)),
	}
}

// inACall is how many messages of a batch a call to SQS carries.
func inACall(batch int) float64 { return float64(min(batch, manifest.MessagesPerCall)) }

// ACUs returns the capacity of Aurora while it is idle and while it is busy.
func (l Load) ACUs() (idle, busy float64) {
	m := l.Measured
	cores := l.messages() * m.ExecutionMS.Value / 1000 / (m.BusyHours.Value * 3600) / m.Busy.Value
	hot := l.Documents / daysOfMonth * m.HotDays.Value * m.StoredBytes.Value / (2 * (1 << 30)) // an ACU has 2 GiB
	need := max(cores/m.CoresPerACU.Value, hot)
	return m.MinACU.Value, max(m.MinACU.Value, math.Ceil(need*2)/2) // in steps of a half
}

func (l Load) database() []item {
	if !l.Aurora {
		return nil
	}
	p, m := l.Prices, l.Measured
	idle, busy := l.ACUs()
	stored := l.Documents * l.MonthsKept * m.StoredBytes.Value / gigabyte
	inputs := l.messages() * (m.Blocks.Value*m.MissedShare.Value + m.WALBytes.Value/storageBlock)
	return []item{
		fixed(charge(partDatabase, "capacity, at least", idle*monthHours, "ACU-hours", p.AuroraACUHour, 1)),
		charge(partDatabase, "capacity, more while busy", (busy-idle)*m.BusyHours.Value, "ACU-hours",
			p.AuroraACUHour, 1),
		charge(partDatabase, "storage", stored, "GB", p.AuroraStorage, 1),
		charge(partDatabase, "reads and writes", inputs, "requests", p.AuroraIO, million),
	}
}

// network is the way out of the VPC of a new Aurora.
func (l Load) network() []item {
	if !l.Aurora {
		return nil
	}
	p, m := l.Prices, l.Measured
	return []item{
		fixed(charge(partNetwork, "gateway", m.NATCount.Value*monthHours, "hours", p.NATHour, 1)),
		fixed(charge(partNetwork, "public address", m.PublicAddress.Value*monthHours, "hours", p.AddressHour, 1)),
		charge(partNetwork, "traffic", l.messages()*m.NATBytes.Value/gigabyte, "GB", p.NATGB, 1),
	}
}

func (l Load) watch() []item {
	p, m := l.Prices, l.Measured
	logs := (l.messages()*m.LogBytes.Value + l.invocations()*m.LogBytesBatch.Value) / gigabyte
	sweep := sweeps() * m.LogBytesSweep.Value / gigabyte
	return []item{
		charge(partWatch, "logs", logs, "GB", p.LogsIngested, 1),
		charge(partWatch, "logs, kept", logs*m.LogMonths.Value, "GB", p.LogsStored, 1),
		fixed(charge(partWatch, "logs of the sweep", sweep, "GB", p.LogsIngested, 1)),
		fixed(charge(partWatch, "metrics", m.Metrics.Value, "metrics", p.Metric, 1)),
		fixed(charge(partWatch, "alarms", m.Alarms.Value, "alarms", p.Alarm, 1)),
		fixed(charge(partWatch, "dashboard", m.Dashboards.Value, "dashboards", p.Dashboard, 1)),
	}
}

func (l Load) secrets() []item {
	return []item{
		fixed(charge(partSecrets, "secrets", l.Measured.Secrets.Value, "secrets", l.Prices.Secret, 1)),
		fixed(charge(partSecrets, "keys", l.Measured.Keys.Value, "keys", l.Prices.Key, 1)),
		fixed(charge(partSecrets, "schedule of the sweep", sweeps(), "invocations", l.Prices.Schedule, million)),
	}
}

func (l Load) model() (items []item) {
	m := l.Measured
	asked := l.Documents * l.Questions
	tokens := func(what string, quantity, usd float64) item {
		return charge(partModel, what, quantity, "tokens", Price{USD: usd}, million)
	}
	if l.Questions > 0 {
		items = append(items,
			tokens("prompts", asked*m.PromptTokens.Value, l.Model.Prompt),
			tokens("answers", asked*m.AnswerTokens.Value, l.Model.Completion))
	}
	if l.Embeddings {
		items = append(items, tokens("embeddings", l.Documents*m.EmbeddedTokens.Value, l.Model.Embedding))
	}
	return items
}
