// Package lambda is the tour of Matchbook, in reading order. It holds no code.
//
// # The rooms
//
//	match ingest review offer        the four workloads: documents, files, contracts, and daily
//	                                 offers of users to each other
//	job                              the runtime that claims, runs and settles their rows
//	document llm notify              what workloads share: documents, models, channels
//	postgres blob                    storage: all SQL, and files in S3 or a folder
//	manifest setup                   the table of functions, and building one from its environment
//	failure telemetry                kinds of failure, logs and metrics
//	console cli                      pages for people, and the frame of the commands
//	cmd                              a main for each function, and the two commands
//	local eval acceptance            what developers use: the local stack, measuring, tests
//	internal                         helpers of these rooms and of tests
//
// The words are in GLOSSARY.md, the five decisions in DECISIONS.md. infra, outside this
// folder, describes the stack on AWS, and migrations the schema.
//
// # From a message to a match
//
// Follow a message of the match queue:
//
//   - function/match is the Lambda function. setup.Main reads the environment, opens the
//     adapters and serves invocations; setup/secret reads Secrets Manager.
//   - job/sqsjob turns the SQS event into deliveries and the settlements into the response
//     (sqsjob.go), visibility changes and deletions (queue.go).
//   - job is the runtime, and its documentation is the life of a row. Backoff.Decide, in
//     decide.go, decides how a delivery is settled; settle.go does it; heartbeat.go
//     extends the lease of long work.
//   - match is the work: load, read the block, score, decide, ask, write (match.go).
//     block.go reads the candidates, ask.go asks what the rules leave open, prompt.go
//     writes the question.
//   - match/score scores a pair: all evidence is one table, weights.go.
//     document/company and document/reference make its names and numbers comparable.
//   - match/rules decides which pairs are matches, by their competition.
//   - match/warning finds what people should look at although it is matched;
//     match/threeway compares an invoice with its order and receipts, line by line.
//   - llm asks a model and commits each answer before it is read, so that no question is
//     bought twice. llm/openai calls the server; llm/schema reads an answer by the JSON
//     schema of its question.
//   - postgres holds all SQL, each statement next to its method: claim.go claims and
//     settles. The store of each workload is a package below it. In postgres/matches,
//     candidate.go finds candidates, write.go writes matches, and redecide.go is the heart
//     of that write. The others are postgres/ingestions, postgres/reviews and
//     postgres/offers; postgres/events has the events.
//
// # When something goes wrong
//
//   - failure decides the kind of a failure, once. An adapter classifies its errors in a
//     table next to its code. internal/backoff waits between tries.
//   - job/sweep repairs rows of a crashed worker or a lost message; cmd/sweep is its
//     function. job/republish publishes failed rows again, for people.
//   - job/breaker parks work while a model or an OCR is away; postgres/breaker.go has its
//     transitions, and the sweep publishes the rows afterwards.
//   - notify sends each failure once to each channel, after the batch or in the sweep;
//     notify/slack and notify/email are channels. notify/outbox decides when a receiver
//     gets sets and events, and notify/webhook sends them, signed.
//   - telemetry adds the invocation's ids to every log line; telemetry/emf writes counts
//     as CloudWatch metrics.
//
// # From a file to its documents
//
//   - cmd/inbox starts an ingestion for each file in the inbox (ingest/inbox), and
//     cmd/ingest reads it. ingest is that work, from the file to the publication of its
//     documents (work.go); ingest/ingestion describes the file on its way. blob stores
//     files, in S3 or in a folder.
//   - ingest/filetype determines a file's type by its content; ingest/container takes files
//     out of ZIP archives and mails. ingest/pdf reads the text
//     layer, embedded XML and images of a PDF; ingest/scan reads and repairs images.
//   - ingest/ocr reads pages with an engine: ingest/tesseract on this machine,
//     ingest/documentai and ingest/textract as a service. ingest/transcript is the result:
//     text by page and line, with places.
//   - ingest/byrules extracts documents by labels, places and sums; ingest/bymodel lets a
//     model do it and drops invented values. ingest/extraction is the result, and
//     ingest/printed reads values as they are printed.
//   - ingest/gate decides whether a person must look.
//
// # From a contract to its findings
//
//   - cmd/web starts a review (review/web, start.go of review), and cmd/review reads its
//     chunks. review is that work: Review in review.go is the entry, work.go its state,
//     read.go what it asks, call.go what a call waits for, stage.go a question on its way.
//   - review/chunk divides the text into parts that one question holds.
//   - review/analyst holds the questions to a model, and decides which a passage needs.
//     review/quote finds their quotes in the text, so that invented ones are dropped.
//   - review/category finds clauses without a model, and review/playbook judges them by a
//     tenant's positions.
//   - review/whole compares all parts: repetitions, missing clauses, contradictions.
//   - review/record defines what is kept; review/report writes it for a lawyer. The last
//     chunk ends a review by a trigger (migrations/README.md).
//
// # From a date to its offers
//
//   - cmd/schedule queues the jobs of a date, in each time zone at nine (scheduler.go of
//     offer); offer/day decides when a date is due.
//   - cmd/offer composes the set of a job. offer/roster is the frozen list of users that
//     all sets of a date are computed from; offer/ranking ranks it for one user.
//   - A stored set is sent by notify/outbox, after the batch or in the sweep.
//
// # What people use
//
//   - console has the pages: lists, a document with the evidence for its matches, what
//     waits for people. console/login lets people in, console/login/oidc by OpenID Connect.
//     cmd/console is its function; console/httpapi makes requests of API Gateway's events.
//   - cmd/matchbook is the command for operators and integrators. cli is its frame: output,
//     help, exit codes; cli/term lays out text, cli/errtext words errors.
//   - cli/explain reads why documents match or do not, cli/importer stores files of
//     documents, cli/doctor finds errors in a configuration or a stack (postgres/checkup
//     reads a database for it), cli/cost sums up what models were paid. postgres/report
//     holds their SQL.
//   - document defines a document; document/format is its JSON Schema. document/einvoice
//     reads electronic invoices, document/csvfile CSV, document/docx Word documents,
//     document/corpus folders.
//   - manifest holds the facts that functions and infrastructure share, a row for each
//     function; manifest/variable and manifest/metric hold names. cmd/migrate brings
//     the schema up to date by postgres/schema.
//
// # What developers use
//
//   - local joins the parts of the line in a Stack, and a Session runs it for a command:
//     local/sqs is a strict SQS, local/eventsource the event source mapping,
//     local/lambdahost the Lambda Runtime API, local/pgserver a private PostgreSQL,
//     local/scripted a model, local/webhook a Slack. local/clock and local/simclock move
//     time; local/database opens a command's database.
//   - local/matchrun, local/ingestrun, local/reviewrun and local/offerrun run a workload in
//     a Session, for cmd/matchbook. local/drill breaks everything at once.
//   - cmd/mbdev is the command for developers. eval measures against the truth:
//     eval/matcheval through the line, eval/revieweval contracts, eval/ingesteval files,
//     eval/train the rules alone, and learns their numbers.
//   - acceptance tests the whole line through the real bootstraps; acceptance/example is a
//     workload to copy. job/jobtest tests the store of any workload, failure/failuretest
//     the table of any adapter, postgres/postgrestest gives each test a database.
//     job/riverbench, a module apart, compares the runtime with River.
//   - internal/archtest keeps the direction of imports and the links of the pages;
//     internal/testenv decides what a run of the tests leaves out; internal/browser opens
//     pages in Chromium; internal/webguard protects pages.
//
// # To add something
//
// Follow the steps in .github/CONTRIBUTING.md for a workload, a channel, a piece of
// evidence, a kind of failure or a migration.
package lambda
