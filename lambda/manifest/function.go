package manifest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/manifest/variable"
)

// Functions returns the functions fed by queues, one row each.
func Functions() []Function { return []Function{Match, Ingest, Inbox, Review, Offer} }

// Workloads returns the functions with messages that name rows of a table, so that the sweep
// can repair them.
func Workloads() []Function {
	return slices.DeleteFunc(Functions(), func(f Function) bool { return f.Rowless })
}

// Tasks returns the functions of every stack without a queue.
func Tasks() []Task { return []Task{Sweep, Migrate, Schedule} }

// OptionalTasks returns the functions enabled by a stack's settings.
func OptionalTasks() []Task { return []Task{Web, Console} }

// Function describes a function fed by a queue.
type Function struct {
	Name           string          // lower-case letters; used in names of resources and variables
	Purpose        string          // a few words for people, shown in the console
	Subject        string          // the word for a row of its table, used in texts of alarms: document; empty is "row"
	Package        string          // its main package
	Timeout        time.Duration   // of an invocation
	MemoryMB       int             // of an instance; its share of a processor grows with it
	BatchSize      int             // messages in an invocation, all worked on at once, 1 to MaxBatchSize
	MaxConcurrency int             // of the event source mapping
	PoolSize       int             // database connections of an instance
	AsksModel      bool            // it gets the model's settings, and its calls are shown
	CallsInFlight  int             // concurrent model calls of an instance; 0: one per message
	Retries        []time.Duration // visibility after the first, second ... transient failure
	// Lease is the time that a claim outlives its last heartbeat. With 0, claims live until
	// the end of the invocation, without a heartbeat.
	Lease time.Duration
	// Rowless functions get messages that name no row. A given-up message stays in the
	// dead-letter queue until a person moves it back.
	Rowless bool
	// PublishesTo is the function with the queue to publish to, read from that queue's
	// variable; empty: only its queue. MayPublishTo is a further one, used if its queue's
	// variable is set.
	PublishesTo, MayPublishTo string
	// First marks the oldest function: publishers and the sweep use QUEUE_URL for its queue
	// unless QueueEnv is set, and the sweep checks RETRY_SCHEDULE for it.
	First bool
	// ReadsPages functions get the settings of PDFs and OCR.
	ReadsPages bool
	// Watches is the store's folder to turn new files into messages from; empty: none.
	Watches string
	// Delivers is the receiver of the function's results; the zero value: none.
	Delivers Receiver
	// Files is the function's access to the blob store.
	Files  []Access
	Alarms Alarms
	Repair Repair
}

// Repair describes how a person handles failed rows, as clauses for the texts of alarms.
type Repair struct {
	Explain string // shows a row's error, such as matchbook explain ID
	List    string // shows the errors of all failed rows
	Again   string // publishes them again
}

// Receiver is a program of the customer that gets a function's results in signed requests.
type Receiver struct {
	URL, Secret string // the variables with its address and with the signing key
	Refused     string // the metric of refused results
}

var (
	// Sets is the receiver of completed sets of match offers.
	Sets = Receiver{variable.OffersWebhookURL, variable.OffersWebhookSecret, metric.RefusedSets}
	// Events is the receiver of events.
	Events = Receiver{variable.EventsWebhookURL, variable.EventsWebhookSecret, metric.RefusedEvents}
)

// Alarms has the thresholds of a function's alarms.
type Alarms struct {
	FailedPercent int           // of the rows ended within five minutes; 0: the default
	SlowWork      time.Duration // 95th percentile of the time spent on a row; 0: no alarm
	Waiting       int           // messages waiting within five minutes; 0: no alarm
}

// Access is a right to the files below a folder.
type Access struct {
	Folder      string // such as FolderInbox
	Read, Write bool
}

// Match is the function that matches documents.
var Match = Function{
	Name:           "match",
	Purpose:        "Matches queued documents",
	Subject:        "document",
	Package:        "matchbook/lambda/cmd/match",
	Timeout:        3 * time.Minute,
	MemoryMB:       512,
	BatchSize:      10,
	MaxConcurrency: 8,
	PoolSize:       5,
	AsksModel:      true,
	Retries:        []time.Duration{5 * time.Minute, 30 * time.Minute},
	First:          true,
	Delivers:       Events,
	Repair: Repair{Explain: "matchbook explain ID", List: "matchbook publish --failed --dry-run lists them by kind",
		Again: "publish the documents again: matchbook publish --failed"},
}

// Ingest is the function that reads files. A page takes seconds and a file minutes, so claims
// are short and extended by a heartbeat.
var Ingest = Function{
	Name:           "ingest",
	Purpose:        "Reads queued files",
	Subject:        "ingestion",
	Package:        "matchbook/lambda/cmd/ingest",
	Timeout:        10 * time.Minute,
	MemoryMB:       2048,
	BatchSize:      4,
	MaxConcurrency: 8,
	PoolSize:       2,
	AsksModel:      true,
	Retries:        []time.Duration{5 * time.Minute, 30 * time.Minute},
	Lease:          5 * time.Minute,
	PublishesTo:    Match.Name,
	MayPublishTo:   Review.Name,
	ReadsPages:     true,
	Files:          []Access{{FolderDocuments, true, true}, {FolderInbox, true, false}, {FolderIngestions, true, true}},
	Repair: Repair{Explain: "matchbook explain ID",
		List:  "matchbook publish --ingestions --failed --dry-run lists them by kind",
		Again: "publish the ingestions again: matchbook publish --ingestions --failed"},
}

// Inbox is the function that starts an ingestion for each file put into the inbox. S3 sends
// events to its queue, not to the function, so that they survive a database outage of hours,
// and then wait in the dead-letter queue.
var Inbox = Function{
	Name:           "inbox",
	Purpose:        "Starts the ingestion of files in the inbox",
	Subject:        "file",
	Package:        "matchbook/lambda/cmd/inbox",
	Timeout:        2 * time.Minute,
	MemoryMB:       512,
	BatchSize:      5,
	MaxConcurrency: 4,
	PoolSize:       1,
	Retries:        slices.Repeat([]time.Duration{12 * time.Minute}, 11), // the queue's visibility
	Rowless:        true,
	PublishesTo:    Ingest.Name,
	Watches:        FolderInbox,
	Files:          []Access{{FolderInbox, true, false}, {FolderDocuments, false, true}},
	Repair:         Repair{Explain: "in the log of the function"},
}

// Review is the function that reads chunks of contracts. A chunk takes about five model calls
// in two rounds: some seconds, or two minutes with all retries. A hanging or dead worker loses
// its claims within five minutes, because Lease counts from the last heartbeat, and no
// heartbeat outlives Timeout. All instances together make at most 60 calls at once,
// MaxConcurrency times CallsInFlight; a provider that accepts fewer pauses all instances by
// its Retry-After. Many instances with few calls each, and more chunks than calls, keep the
// model busy while a batch waits for its last answers (see the simulation in lambda/review). A
// call holds no connection while the model answers.
var Review = Function{
	Name:           "review",
	Purpose:        "Reads queued chunks of contracts",
	Subject:        "chunk",
	Package:        "matchbook/lambda/cmd/review",
	Timeout:        5 * time.Minute,
	MemoryMB:       512,
	BatchSize:      10,
	MaxConcurrency: 12,
	PoolSize:       1,
	AsksModel:      true,
	CallsInFlight:  5,
	Retries:        []time.Duration{5 * time.Minute, 5 * time.Minute},
	Lease:          5 * time.Minute,
	Repair: Repair{Explain: "matchbook explain ID",
		List:  "matchbook publish --chunks --failed --dry-run lists them by kind",
		Again: "publish the chunks again: matchbook publish --chunks --failed"},
}

// Offer is the function that composes match offers. A set takes milliseconds once an instance
// has read the roster of its date, so many share an invocation and its two commits. The waits
// are short, because a database error either passes soon or is an outage. A dead worker loses
// its claims within Lease. Timeout is longer than Alarms.SlowWork, so that slow work raises
// the alarm before it fails.
var Offer = Function{
	Name:           "offer",
	Purpose:        "Composes queued match offers",
	Subject:        "job",
	Package:        "matchbook/lambda/cmd/offer",
	Timeout:        6 * time.Minute,
	MemoryMB:       1024,
	BatchSize:      100,
	MaxConcurrency: 4,
	PoolSize:       2,
	Retries:        []time.Duration{30 * time.Second, 2 * time.Minute, 5 * time.Minute},
	Lease:          time.Minute,
	Delivers:       Sets,
	Alarms:         Alarms{FailedPercent: 1, SlowWork: 5 * time.Minute, Waiting: 1000},
	Repair: Repair{Explain: "matchbook offers explain ID", List: "matchbook offers explain ID shows that of a job",
		Again: "queue the jobs again: matchbook offers requeue"},
}

// Task describes a function without a queue.
type Task struct {
	Name     string
	Purpose  string        // a few words for people, shown in the console
	Package  string        // its main package
	Timeout  time.Duration // of an invocation
	MemoryMB int           // of an instance
	PoolSize int           // database connections of an instance
	Every    time.Duration // the period of its schedule; 0: no schedule
	// Instances limits the concurrent instances by the function's reserved concurrency. Use 0
	// if there's never more than one.
	Instances int
	// URL functions answer requests of a function URL, and stream the responses.
	URL bool
	// PublishesTo is the function with the queue to publish to. Empty means the queues of all
	// rows repaired by the sweep, or none.
	PublishesTo string
	// AlsoPublishesTo is a further function with a queue to publish to; empty: none.
	AlsoPublishesTo string
	// Repairs functions publish lost work of all rows again, so they have all queues.
	Repairs bool
	// Deploys functions are called by deployments, without an alias. They answer by a file in S3.
	Deploys bool
	// Files is the function's access to the blob store.
	Files []Access
}

// Connections returns the database connections of all instances.
func (f Function) Connections() int { return f.MaxConcurrency * f.PoolSize }

// Connections returns the database connections of all instances.
func (t Task) Connections() int { return max(t.Instances, 1) * t.PoolSize }

// Sweep is the function that repairs crashed or lost work.
var Sweep = Task{Name: "sweep", Purpose: "Repairs crashed or lost work", Package: "matchbook/lambda/cmd/sweep",
	Timeout: 50 * time.Second, MemoryMB: 256, PoolSize: 2, Every: time.Minute, Repairs: true}

// Migrate is the function that brings the schema up to date during a deployment, before the
// new version takes traffic.
var Migrate = Task{Name: "migrate", Purpose: "Brings the schema up to date", Package: "matchbook/lambda/cmd/migrate",
	Timeout: 10 * time.Minute, MemoryMB: 256, PoolSize: 2, Deploys: true}

// Schedule is the function that queues the match offers of a day, zone by zone.
var Schedule = Task{Name: "schedule", Purpose: "Queues the match offers of the day",
	Package: "matchbook/lambda/cmd/schedule", Timeout: 5 * time.Minute, MemoryMB: 1024, PoolSize: 1,
	Every: 15 * time.Minute, PublishesTo: Offer.Name}

// Web is the function behind the URL of reviews. It starts reviews for the review function,
// and shows them. A reader of a stream of findings uses an instance for as long as the stream,
// up to StreamReserve before Timeout; then the browser reconnects. Use the setting reviewUrl
// to enable it. Twelve instances and all functions but Console fit the 97 connections of a
// PostgreSQL with its default limit.
var Web = Task{Name: "web", Purpose: "Shows reviews to browsers and programs", Package: "matchbook/lambda/cmd/web",
	Timeout: 5 * time.Minute, MemoryMB: 256, PoolSize: 1, Instances: 12, URL: true, PublishesTo: Review.Name,
	Files: []Access{{FolderIngestions, true, false}}} // texts of documents

// Console is the function behind the console's HTTP API, which limits a response to 30 s. Use
// the setting console to enable it. A page is a few requests of some milliseconds each. Eight
// instances and all functions but Web fit the 97 connections of a PostgreSQL with its default
// limit.
var Console = Task{Name: "console", Purpose: "Shows documents and their matches to people",
	Package: "matchbook/lambda/cmd/console", Timeout: 29 * time.Second, MemoryMB: 512, PoolSize: 1, Instances: 8,
	PublishesTo: Match.Name, AlsoPublishesTo: Ingest.Name,
	Files: []Access{{FolderDocuments, false, true}, {FolderIngestions, true, false}}}

// QueueEnv returns the variable with the URL of the function's queue, such as MATCH_QUEUE_URL.
// Use it in other programs that publish to this queue; the function itself uses QUEUE_URL.
func (f Function) QueueEnv() string { return strings.ToUpper(f.Name) + "_" + variable.QueueURL }

// MaxReceiveCount returns the number of deliveries before SQS moves a message to the
// dead-letter queue: one, and one per retry.
func (f Function) MaxReceiveCount() int { return len(f.Retries) + 1 }

// Visibility returns the queue's visibility timeout, six times the function's timeout plus the
// batch window, as recommended by AWS. A dead function's messages come back after it.
func (f Function) Visibility() time.Duration { return 6*f.Timeout + f.BatchWindow() }

// BatchWindow returns how long Lambda may collect messages for a batch. SQS hands out ten at a
// time, so for more, Lambda requires at least a second.
func (f Function) BatchWindow() time.Duration {
	if f.BatchSize > MessagesPerCall {
		return time.Second
	}
	return 0
}

// FormatBackoff formats the retries for ParseBackoff.
func (f Function) FormatBackoff() string {
	parts := make([]string, len(f.Retries))
	for i, r := range f.Retries {
		parts[i] = r.String()
		for _, zero := range []string{"m0s", "h0m"} { // 5m0s, 1h0m0s
			if strings.HasSuffix(parts[i], zero) {
				parts[i] = parts[i][:len(parts[i])-2]
			}
		}
	}
	return strings.Join(parts, ",")
}

// ParseBackoff parses a retry schedule such as "5m,30m". It must have MaxReceiveCount - 1
// entries, because SQS moves the message away at the next receive, whatever the schedule
// contains.
func (f Function) ParseBackoff(s string) ([]time.Duration, error) {
	parts := strings.Split(s, ",")
	if want := f.MaxReceiveCount() - 1; len(parts) != want {
		return nil, fmt.Errorf("number of entries must be %d (maxReceiveCount %d - 1), not %d", want, f.MaxReceiveCount(), len(parts))
	}
	backoff := make([]time.Duration, len(parts))
	for i, part := range parts {
		d, err := time.ParseDuration(strings.TrimSpace(part))
		switch {
		case err != nil:
			return nil, fmt.Errorf("entry %d: expected a duration like 5m", i+1)
		case d < 0 || d > MaxVisibility:
			return nil, fmt.Errorf("entry %d: must be between 0 and %s, the limit of SQS", i+1, MaxVisibility)
		}
		backoff[i] = d
	}
	return backoff, nil
}
