package doctor

import (
	"cmp"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/schema"
)

// fact is an observed value, or the reason why it was not observed. The zero
// fact is not known.
type fact[T any] struct {
	is      bool
	value   T
	missing string // why it is not known
}

func known[T any](value T) fact[T] { return fact[T]{is: true, value: value} }

func unknown[T any](why string) fact[T] { return fact[T]{missing: why} }

// why returns the reason why it is not known; empty if it is known.
func (f fact[T]) why() string {
	if f.is {
		return ""
	}
	return cmp.Or(f.missing, "it was not looked at")
}

// missing returns the first reason why one of the facts is not known; empty if
// all are known.
func missing(facts ...interface{ why() string }) string {
	for _, f := range facts {
		if why := f.why(); why != "" {
			return why
		}
	}
	return ""
}

// facts is the input of the checks.
type facts struct {
	target    string     // the stack or environment
	lines     []line     // the functions that queues feed
	functions []function // the others

	secrets  []secret
	database fact[problem] // whether it answers; if not, the facts below are not known
	server   fact[server]
	schema   fact[schema.State]
	skew     fact[checkup.Skew]
	backlog  fact[checkup.Backlog]
	channels fact[[]string] // that send each failure

	model, embeddings, slack fact[problem]

	files []files // the stores of files that functions name
	ocr   engine
}

// problem is a sentence about an error; empty if there is none.
type problem string

// line is a function, the queue that feeds it, and the mapping between them.
type line struct {
	function
	mapping    fact[[]mapping] // all mappings that feed the function
	queue      fact[queue]
	answers    fact[problem] // whether the queue answers
	dlq        fact[queue]   // of the queue; not known if it has none, either
	dlqAnswers fact[problem]
}

// function is a Lambda function.
type function struct {
	name     string
	timeout  fact[time.Duration]
	reserved fact[int]    // concurrency; -1 is none
	listens  fact[string] // the queue that QUEUE_URL names, by its id; empty: it is not set
	sends    []destination
	retries  fact[string] // RETRY_SCHEDULE; empty: it is not set
	config   fact[[]string]
	row      manifest.Function // of the manifest; of a function that a queue feeds
	most     int               // instances at once, where the mapping is not known
	optional manifest.Task     // its row, if only a setting asks for it: web or console
}

// destination is a queue that a function publishes to, as its variable names it.
type destination struct {
	row   manifest.Function // the function that the queue feeds
	queue fact[string]      // its id
}

// mapping is an event source mapping.
type mapping struct {
	name    string
	enabled fact[bool]
	queue   fact[string] // its id
	reports fact[bool]   // ReportBatchItemFailures
	batch   fact[int]
	most    fact[int] // MaximumConcurrency; 0: it is not set
}

// queue is an SQS queue. Other resources refer to it by its id,
// region:account:name.
type queue struct {
	id, name   string
	visibility fact[time.Duration]
	retention  fact[time.Duration]
	dlq        fact[string] // id; empty: there is none
	receives   fact[int]    // maxReceiveCount
	waiting    fact[int]    // messages that are visible
}

// secret is a variable given as the ARN of a secret.
type secret struct {
	subject  string
	readable fact[problem]
}

// files is a function's store of files.
type files struct {
	function string
	readable fact[problem]
}

// server describes the connections of a database server.
type server struct {
	most     int    // connections that roles like ours can have in all
	limit    string // the name of that limit
	reserved int    // of these, for superusers and others
	others   int    // of these, in use by others
	stated   bool   // by a person, because the server could not be queried
}
