package manifest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/manifest/variable"
)

// Functions returns the functions that queues feed, one row each.
func Functions() []Function { return []Function{Match, Ingest, Inbox, Review, Offer} }

// Workloads returns the functions whose messages name rows of a table, so that
// the sweep can repair them.
func Workloads() []Function {
	return slices.DeleteFunc(Functions(), func(f Function) bool { return f.Rowless })
}

// Tasks returns the functions that no queue feeds and that every stack has.
func Tasks() []Task { return []Task{Sweep, Migrate, Schedule} }

// OptionalTasks returns the functions of a stack whose settings ask for them.
func OptionalTasks() []Task { return []Task{Web, Console} }

// Function describes a function that a queue feeds.
type Function struct {
	Name           string          // lower-case letters; names of resources and variables derive from it
	Purpose        string          // a few words for people, in the console
	Subject        string          // a row of its table in one word, in texts of alarms: document; empty is "row"
	Package        string          // its main package
	Timeout        time.Duration   // of one invocation
	MemoryMB       int             // of one instance; its share of a processor grows with it
	BatchSize      int             // messages in one invocation, all worked on at once, 1 to MaxBatchSize
	MaxConcurrency int             // of the event source mapping
	PoolSize       int             // database connections of one instance
	AsksModel      bool            // it gets the model's settings, and its calls are shown
	CallsInFlight  int             // calls of the model at once, of one instance; 0: one per message
	Retries        []time.Duration // visibility after the first, second ... transient failure
	// Lease is the time for which a claim outlives its last heartbeat; 0: claims live
	// until the end of the invocation, without a heartbeat.
	Lease time.Duration
	// Rowless functions get messages that name no row. A message that is given up
	// stays in the dead-letter queue until a person moves it back.
	Rowless bool
	// PublishesTo is the name of the function to whose queue it publishes, by that
	// queue's variable; empty: to its own only. MayPublishTo is the name of a further
	// one, to which it publishes where that queue's variable is set.
	PublishesTo, MayPublishTo string
	// First is the function that was there before all others: publishers and the sweep
	// take QUEUE_URL for its queue where QueueEnv is not set, and the sweep checks
	// RETRY_SCHEDULE as it does.
	First bool
	// ReadsPages functions get the settings of PDFs and OCR.
	ReadsPages bool
	// Watches is the folder of the store whose new files become messages; empty: none.
	Watches string
	// Delivers is the receiver of what the function completes; the zero value: none.
	Delivers Receiver
	// Files is the function's right to the store of files.
	Files  []Access
	Alarms Alarms
	Repair Repair
}

// Repair is what a person does about rows that failed, in clauses of the texts of
// alarms.
type Repair struct {
	Explain string // shows the error of a row: matchbook explain ID
	List    string // shows the errors of all that failed
	Again   string // brings them back to work
	// NoRedrive says that Again is for messages in the dead-letter queue as well, and
	// that nobody redrives them.
	NoRedrive bool
}

// Receiver is a program of the customer that gets what a function completes, in
// requests that are signed.
type Receiver struct {
	URL, Secret string // the variables with its address and with the key that signs
	Refused     string // the metric of what it refused
}

var (
	// Sets is the receiver of completed sets of match offers.
	Sets = Receiver{variable.OffersWebhookURL, variable.OffersWebhookSecret, metric.RefusedSets}
	// Events is the receiver of events.
	Events = Receiver{variable.EventsWebhookURL, variable.EventsWebhookSecret, metric.RefusedEvents}
)

// Alarms has thresholds above which alarms of a function go off.
type Alarms struct {
	FailedPercent int           // of the rows that ended within five minutes; 0: the usual one
	SlowWork      time.Duration // of the 95th percentile of the work on a row; 0: no alarm
	Waiting       int           // messages that have waited for a quarter of an hour; 0: no alarm
}

// Access is a right to the files below a folder.
type Access struct {
	Folder      string // such as FolderInbox
	Read, Write bool
}

// Match is the function that matches documents.
var Match = Function{
	Name:           "match",
	Purpose:        "Matches the documents that its queue names",
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

// Ingest is the function that reads files. A page takes seconds and a file
// minutes, so that claims are short and a heartbeat extends them.
var Ingest = Function{
	Name:           "ingest",
	Purpose:        "Reads the files that its queue names",
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

// Inbox is the function that starts an ingestion for each file that is laid
// into the inbox. S3 sends its events to the function's queue, and not to the
// function: so an event outlives a database that is away for hours, and then
// waits in the dead-letter queue.
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
	Retries:        slices.Repeat([]time.Duration{12 * time.Minute}, 11), // the queue's own visibility
	Rowless:        true,
	PublishesTo:    Ingest.Name,
	Watches:        FolderInbox,
	Files:          []Access{{FolderInbox, true, false}, {FolderDocuments, false, true}},
	Repair:         Repair{Explain: "in the log of the function"},
}

// Review is the function that reads chunks of contracts. A chunk takes about
// five calls of a model, in two rounds: some seconds, and two minutes where
// each call is repeated for as long as it may be. A worker that hangs or that died
// loses its claims within five minutes: Lease counts from the last heartbeat, and
// no heartbeat outlives Timeout. The calls of all instances, MaxConcurrency times
// CallsInFlight, are 60 at most; a provider that accepts fewer pauses all instances
// by its Retry-After. Many instances with few calls each, and more chunks than
// calls, keep the model busy while a batch waits for its last answers (the
// simulation of lambda/review). A call holds no connection while the model answers.
var Review = Function{
	Name:           "review",
	Purpose:        "Reads the chunks of contracts that its queue names",
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

// Offer is the function that composes match offers. A set takes milliseconds once an
// instance has read the roster of its date, so that many share an invocation and its
// two commits. An error of the database passes soon or
// is an outage, hence the short waits. A worker that died loses its claims within
// Lease. Timeout is longer than Alarms.SlowWork: work that has become slow raises the
// alarm before it fails. After a quarter of an hour the next dates are due, and the
// queue should be empty.
var Offer = Function{
	Name:           "offer",
	Purpose:        "Composes the match offers that its queue names",
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
		Again: "queue the jobs again: matchbook offers requeue", NoRedrive: true},
}

// Task describes a function that no queue feeds.
type Task struct {
	Name     string
	Purpose  string        // a few words for people, in the console
	Package  string        // its main package
	Timeout  time.Duration // of one invocation
	MemoryMB int           // of one instance
	PoolSize int           // database connections of one instance
	Every    time.Duration // the period of its schedule; 0: it has none
	// Instances is the number of instances at once at most, the function's reserved
	// concurrency; 0: there is never more than one.
	Instances int
	// URL functions answer requests of a function URL, and stream the responses.
	URL bool
	// PublishesTo is the name of the function to whose queue it publishes; empty: to
	// those of all rows that the sweep repairs, or to none.
	PublishesTo string
}

// Connections returns the database connections of all instances.
func (f Function) Connections() int { return f.MaxConcurrency * f.PoolSize }

// Connections returns the database connections of all instances.
func (t Task) Connections() int { return max(t.Instances, 1) * t.PoolSize }

// Sweep is the function that repairs what crashed or got lost.
var Sweep = Task{Name: "sweep", Purpose: "Repairs what crashed or got lost", Package: "matchbook/lambda/cmd/sweep",
	Timeout: 50 * time.Second, MemoryMB: 256, PoolSize: 2, Every: time.Minute}

// Migrate is the function that brings the schema up to date while a new
// version is deployed, before it takes traffic.
var Migrate = Task{Name: "migrate", Purpose: "Brings the schema up to date", Package: "matchbook/lambda/cmd/migrate",
	Timeout: 10 * time.Minute, MemoryMB: 256, PoolSize: 2}

// Schedule is the function that queues the match offers of a day, zone by zone.
var Schedule = Task{Name: "schedule", Purpose: "Queues the match offers of the day",
	Package: "matchbook/lambda/cmd/schedule", Timeout: 5 * time.Minute, MemoryMB: 1024, PoolSize: 1,
	Every: 15 * time.Minute, PublishesTo: Offer.Name}

// Web is the function behind the URL of reviews: it starts them for the review
// function, and shows them. A reader of a stream of findings has an instance for
// as long as the stream, up to StreamReserve before Timeout; then the browser
// connects again. A stack has it where the setting reviewUrl asks for it. With
// twelve instances all functions together fit the 97 connections of a PostgreSQL
// with its usual limit.
var Web = Task{Name: "web", Purpose: "Shows reviews to browsers and programs", Package: "matchbook/lambda/cmd/web",
	Timeout: 5 * time.Minute, MemoryMB: 256, PoolSize: 1, Instances: 12, URL: true, PublishesTo: Review.Name}

// Console is the function behind the HTTP API of the console, whose limit for a
// response is 30 s. A stack has it where the setting console asks for it. A page is a
// few requests, each of some milliseconds. With eight instances all functions but Web
// fit the 97 connections of a PostgreSQL with its usual limit.
var Console = Task{Name: "console", Purpose: "Shows documents and their matches to people",
	Package: "matchbook/lambda/cmd/console", Timeout: 29 * time.Second, MemoryMB: 512, PoolSize: 1, Instances: 8,
	PublishesTo: Match.Name}

// QueueEnv returns the variable with the URL of the function's queue, for
// other programs that publish to it: MATCH_QUEUE_URL. The function itself
// reads QUEUE_URL.
func (f Function) QueueEnv() string { return strings.ToUpper(f.Name) + "_" + variable.QueueURL }

// MaxReceiveCount returns how often SQS delivers a message before it moves it
// to the dead-letter queue: once, and once per retry.
func (f Function) MaxReceiveCount() int { return len(f.Retries) + 1 }

// Visibility returns the queue's visibility timeout: six times the function's and
// the batch window, as AWS recommends. The messages of a function that died come
// back after it.
func (f Function) Visibility() time.Duration { return 6*f.Timeout + f.BatchWindow() }

// BatchWindow returns the time for which Lambda may collect the messages of a
// batch. SQS hands out ten at a time; for more, Lambda wants a second or more.
func (f Function) BatchWindow() time.Duration {
	if f.BatchSize > MessagesPerCall {
		return time.Second
	}
	return 0
}

// FormatBackoff returns the retries in the form that ParseBackoff reads.
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

// ParseBackoff reads a retry schedule such as "5m,30m". It must have
// exactly MaxReceiveCount - 1 entries, because SQS moves the message away at
// the receive after that, whatever the schedule contains.
func (f Function) ParseBackoff(s string) ([]time.Duration, error) {
	parts := strings.Split(s, ",")
	if want := f.MaxReceiveCount() - 1; len(parts) != want {
		return nil, fmt.Errorf("%d entries, want %d (maxReceiveCount %d - 1)", len(parts), want, f.MaxReceiveCount())
	}
	backoff := make([]time.Duration, len(parts))
	for i, part := range parts {
		d, err := time.ParseDuration(strings.TrimSpace(part))
		switch {
		case err != nil:
			return nil, fmt.Errorf("entry %d is no duration such as 5m", i+1)
		case d < 0 || d > MaxVisibility:
			return nil, fmt.Errorf("entry %d is not between 0 and %s, the limit of SQS", i+1, MaxVisibility)
		}
		backoff[i] = d
	}
	return backoff, nil
}
