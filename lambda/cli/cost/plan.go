// Package cost calculates the cost of a month (Month, a Load and its Bill), the
// documents an hour that go through (Backlog, a System and its Capacity), and the
// cost of models so far (Spent), and prints each as a page. Prices stand in prices.json (AWS) and
// models.json (models), each with its date and source. The needs of a document
// stand in measured.json, each with the way in which it was measured, or as an
// assumption.
//
// # How long a batch takes
//
// Both follow from one formula. The n documents of a batch are worked on at
// once, and the invocation ends when its slowest document does:
//
//	batch(n) = trips * round trip
//	         + (n-1) * turn * round trip / min(n, tenants, connections)
//	         + n * asked * more trips * round trip / min(n, tenants, connections)
//	         + n * (processor / share + execution)
//	         + the longest of the answers that are waited for
//
// The first document makes its round trips to the database one after the
// other. Documents of one tenant that wait for one another are written together, so
// that each further one adds its share of a turn, and a question the round trips of
// asking and writing again; tenants go on beside each other, as far as an instance
// has connections. Processor time of the function grows as its share of a core
// gets smaller (a core is 1769 MB); it and the execution in the database are
// taken one after the other, which is true of one tenant and too much for
// several.
//
// Each of the n deliveries asks with the same chance, independently, and an
// answer takes from Min to Max, each time in between being equally likely. The
// longest of k answers then takes Min + (Max-Min)*k/(k+1) on average, and the
// batch waits for the average of that over the number that asks, which is
// binomial. A provider with a long tail is described by a Max near its slowest
// answers: the average does not predict a batch of ten.
//
// # Left out
//
// Free tiers, discounts, taxes, support plans, data transfer out of the region,
// backups beyond those that are free, cold starts, and the use of the database
// by people. Failures are a share of deliveries that are repeated; it is assumed,
// not measured.
package cost

import (
	"math"
	"time"
)

// Latency is the time until a model answers: from Min to Max, each time in between
// being equally likely. A fixed one has Max = Min.
type Latency struct{ Min, Max time.Duration }

// Longest is the average time of the longest of k answers.
func (l Latency) Longest(k int) time.Duration {
	if k == 0 {
		return 0
	}
	spread := float64(max(l.Max-l.Min, 0))
	return l.Min + time.Duration(spread*float64(k)/float64(k+1))
}

// longestOf is the average time of the longest answer where each of n documents
// asks with the chance p, in seconds.
func (l Latency) longestOf(n int, p float64) (seconds float64) {
	for k := 1; k <= n; k++ {
		seconds += binomial(n, k, p) * l.Longest(k).Seconds()
	}
	return seconds
}

// binomial is the chance that k of n happen.
func binomial(n, k int, p float64) float64 {
	chance := 1.0
	for i := range k {
		chance *= p * float64(n-i) / float64(i+1)
	}
	return chance * math.Pow(1-p, float64(n-k))
}

// Work describes the documents and the function, whatever their number.
type Work struct {
	Questions float64 // per document: 0.14 is 14 in 100 documents
	Latency   Latency // of the model
	Tenants   int     // that share the documents evenly
	MemoryMB  int     // of an instance
	Pool      int     // database connections of an instance
	Measured  Measured
}

// wholeCoreMB is the memory with which Lambda gives a function a whole core.
const wholeCoreMB = 1769

// Deliveries are the messages of a document: one, and another one each time
// that it has to ask again because what it competes with has changed.
func (w Work) Deliveries() float64 {
	return 1 + w.Questions*w.Measured.RepeatsPerQuestion.Value + w.Measured.RetriesPerDocument.Value
}

// asking is the chance that a delivery asks.
func (w Work) asking() float64 { return min(w.Questions/w.Deliveries(), 1) }

// Batch is the duration of an invocation with n documents.
func (w Work) Batch(n int) time.Duration {
	m := w.Measured
	beside := float64(max(min(n, w.Tenants, w.Pool), 1))
	trips := m.Trips.Value + float64(n-1)*m.TurnTrips.Value/beside + float64(n)*w.asking()*m.QuestionTrips.Value/beside
	seconds := trips*m.RoundTripMS.Value/1000 + float64(n)*w.busy() + w.Latency.longestOf(n, w.asking())
	return toDuration(seconds)
}

// busy is the processor time of a document, the function's and the database's, in
// seconds.
func (w Work) busy() float64 {
	share := min(float64(w.MemoryMB)/wholeCoreMB, 1) * w.Measured.CoreSpeed.Value
	return (w.Measured.ProcessorMS.Value/share + w.Measured.ExecutionMS.Value) / 1000
}

// turn is the time for which a document keeps others of its tenant waiting, in
// seconds.
func (w Work) turn() float64 {
	m := w.Measured
	return (m.TurnTrips.Value+w.asking()*m.QuestionTrips.Value)*m.RoundTripMS.Value/1000 + w.busy()
}

func toDuration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}
