package postgres

import (
	"cmp"
	"strings"
	"sync"

	"matchbook/lambda/manifest"
)

// Table describes the table of a workload. Rows must have an id, a tenant_id and the job
// columns, which migrations 00002, 00003, 00010 and 00048 add to document: status, error, attempts,
// failed_at, lease_until, published_at, due_at, republished, lapses and parked_for. due_at must have
// DEFAULT now(), so that the sweep finds and publishes a row inserted by another program
// without a status. Use constant SQL only, never data.
type Table struct {
	Name    string // such as document
	Prefix  string // of the job columns, such as matching_; may be empty
	Status  string // the status column, if not Prefix plus status
	Arrived string // the column with the time of the insert
	Subject string // a row in one word, for messages to people: document
	// Unworkable is an expression for the reason why a row can't be worked on, NULL if it can.
	Unworkable string
	Complete   string // the condition of a fully inserted row
}

// Tables holds the tables of the manifest's functions, by function name.
var Tables = map[string]Table{
	manifest.Match.Name: documents, manifest.Ingest.Name: ingestions, manifest.Review.Name: chunks,
	manifest.Offer.Name: offerJobs}

var documents = Table{
	Name: "document", Prefix: "matching_", Arrived: "received_at", Subject: "document",
	Unworkable: `CASE WHEN type IS NULL THEN 'not matchable: missing document type'
		     WHEN structured_data IS NULL OR structured_data = 'null'
		     THEN 'not matchable: missing structured data' END`,
	Complete: `type IS NOT NULL AND structured_data IS NOT NULL`,
}

// ingestions is the table of the ingest function. Its column status has the state in the words
// of other programs, so use job_status.
var ingestions = Table{
	Name: "ingestion", Status: "job_status", Arrived: "created_at", Subject: "ingestion",
	Unworkable: `CASE WHEN file_path IS NULL THEN 'missing file' END`,
	Complete:   `file_path IS NOT NULL`,
}

var chunks = Table{
	Name: "review_chunk", Arrived: "created_at", Subject: "chunk",
	Unworkable: `CASE WHEN NOT ready THEN 'chunks of the text are still open' END`,
	Complete:   `ready`,
}

// offerJobs is the table of the offer function. Its column status has the state in the words
// of other programs, so use job_status. A skipped date is cancelled.
var offerJobs = Table{
	Name: "matchmaking_job", Status: "job_status", Arrived: "created_at", Subject: "job",
	Unworkable: `CASE WHEN input_digest IS NULL THEN 'missing roster' END`,
	Complete:   `input_digest IS NOT NULL`,
}

// jobColumns lists the columns every workload's table must have in addition to the status.
// Statements use them in braces: {error}.
var jobColumns = []string{
	"error", "attempts", "failed_at", "lease_until", "published_at", "due_at", "republished", "lapses", "parked_for",
}

// sql replaces {table} and columns such as {status} by the table's names.
func (t Table) sql(statement string) string {
	words := []string{"{table}", t.Name, "{arrived}", t.Arrived, "{unworkable}", t.Unworkable, "{complete}", t.Complete,
		"{subject}", t.Subject, "{subject_id}", t.subjectID(), "{status}", cmp.Or(t.Status, t.Prefix+"status")}
	for _, column := range jobColumns {
		words = append(words, "{"+column+"}", t.Prefix+column)
	}
	return strings.NewReplacer(words...).Replace(statement)
}

// SQL is sql for the packages below this one. Their statements may also use {ours}, which
// locks the rows of $1 that still have their fence ($2) as ours, {succeeded}, which sets the
// columns of success, {waits_since}, the
// time a row's message or worker was due, {is_parked}, the condition of a row that waits for a
// service, {is_inserted}, of one of another program that nobody has published yet, and {overdue}, the
// sweep's condition of a row with a late message; its $1 is the queue's visibility timeout.
func (t Table) SQL(statement string) string {
	return t.sql(strings.NewReplacer("{ours}", ours, "{succeeded}", succeeded, "{waits_since}", waitsSince, "{overdue}", overdue,
		"{is_parked}", parked, "{is_inserted}", `{published_at} IS NULL AND {attempts} = 0 AND `+inserted).Replace(statement))
}

// subjectID returns a notification's column for a row's id. Documents have a separate one,
// because it's a foreign key.
func (t Table) subjectID() string {
	if t.Subject == documents.Subject {
		return "document_id"
	}
	return "subject_id"
}

// Jobs holds the state of the work in a table. It implements job.Store, job.PublishStore and
// sweep.Store for any workload, so a workload must only add its reads and its successful end
// (see Succeed).
type Jobs struct {
	db         *DB
	table      Table
	statements sync.Map // filled ones by constant
}

// JobsOf returns the jobs of a table. See Tables for the functions' tables.
func (db *DB) JobsOf(t Table) *Jobs { return &Jobs{db: db, table: t} }

// sql is Table.sql, run once for each statement.
func (j *Jobs) sql(statement string) string {
	filled, known := j.statements.Load(statement)
	if !known {
		filled, _ = j.statements.LoadOrStore(statement, j.table.sql(statement))
	}
	return filled.(string)
}
