package doctor

import (
	"cmp"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/schema"
)

// fact is an observed value, or the reason why it's unknown. The zero fact is unknown.
type fact[T any] struct {
	is      bool
	value   T
	missing string // reason if unknown
}

func known[T any](value T) fact[T] { return fact[T]{is: true, value: value} }

func unknown[T any](why string) fact[T] { return fact[T]{missing: why} }

// why returns the reason for an unknown fact, "" for a known one.
func (f fact[T]) why() string {
	if f.is {
		return ""
	}
	return cmp.Or(f.missing, "not examined")
}

// missing returns the first reason for an unknown fact, "" if all are known.
func missing(facts ...interface{ why() string }) string {
	for _, f := range facts {
		if why := f.why(); why != "" {
			return why
		}
	}
	return ""
}

type facts struct {
	target    string     // the stack or environment
	lines     []line     // functions fed by a queue
	functions []function // the others

	secrets  []secret
	database fact[problem] // whether it answers; otherwise the facts below are unknown
	identity fact[problem] // what is left unchecked about the server
	server   fact[server]
	schema   fact[schema.State]
	skew     fact[checkup.Skew]
	backlog  fact[checkup.Backlog]
	channels fact[[]string] // that send failures

	model, embeddings, slack fact[problem]

	files []files // stores of files by function
	keys  []encrypted

	schedules fact[[]schedule]
	alarms    fact[[]alarm]
	ocr       engine
}

// problem is a sentence about an error, or "".
type problem string

// line is a queue, its function, and the mapping between them.
type line struct {
	function
	mapping    fact[[]mapping] // all mappings to the function
	queue      fact[queue]
	answers    fact[problem] // whether the queue answers
	dlq        fact[queue]   // unknown also if the queue lacks one
	dlqAnswers fact[problem]
	watch      fact[notification] // of the folder that the function watches
}

type function struct {
	name     string
	timeout  fact[time.Duration]
	reserved fact[int]    // concurrency; -1 if unset
	listens  fact[string] // id of the queue in QUEUE_URL; "" if unset
	sends    []destination
	retries  fact[string] // RETRY_SCHEDULE; "" if unset
	config   fact[[]string]
	row      manifest.Function // of the manifest, for a function fed by a queue
	served   bool              // no queue is set, as with matchbook serve
	task     manifest.Task     // its row, for the others
	deployed
	most     int           // maximum instances if the mapping is unknown
	optional manifest.Task // its row, for the optional web and console
}

// deployed are the facts of a function in a stack.
type deployed struct {
	runs    fact[version]
	alias   fact[alias]
	plain   fact[[]string] // variables with a secret as their value
	role    fact[role]
	needs   []need
	network fact[network] // unknown outside a VPC
}

func notDeployed(why string) deployed {
	return deployed{runs: unknown[version](why), alias: unknown[alias](why), plain: unknown[[]string](why), role: unknown[role](why)}
}

// destination is a queue a function publishes to, by its variable.
type destination struct {
	row   manifest.Function // the function fed by the queue
	queue fact[string]      // its id
}

type mapping struct {
	name    string
	enabled fact[bool]
	queue   fact[string] // its id
	reports fact[bool]   // ReportBatchItemFailures
	batch   fact[int]
	most    fact[int]    // MaximumConcurrency; 0 if unset
	target  fact[string] // ARN of the alias, version or function
	filters fact[int]
	window  fact[time.Duration]
}

// queue is an SQS queue. Its id is region:account:name.
type queue struct {
	id, name   string
	visibility fact[time.Duration]
	retention  fact[time.Duration]
	dlq        fact[string] // its id, or ""
	receives   fact[int]    // maxReceiveCount
	waiting    fact[int]    // visible messages
	fifo       bool
	key        string // id of the customer's key, or ""
	policy     string // JSON, or ""
	allows     fact[redriveAllow]
}

// secret is a variable with the ARN of a secret.
type secret struct {
	subject  string
	readable fact[problem]
}

type files struct {
	function string
	readable fact[problem]
}

type server struct {
	most     int    // total connections for roles like ours
	limit    string // name of that limit
	reserved int    // of these, for superusers and others
	others   int    // of these, in use by others
	stated   bool   // by the user, for an unreachable server
}
