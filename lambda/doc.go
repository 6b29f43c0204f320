// Package lambda is a tour through Matchbook, in reading order. It holds no
// code.
//
// # From a message to a match
//
// A message names a document. Follow it:
//
//   - cmd/match is the Lambda function; setup reads its environment and opens
//     its adapters; setup/secret reads Secrets Manager.
//   - job/sqsjob turns the SQS event into deliveries, and the settlements into
//     the response and visibility changes (queue.go).
//   - job is the runtime; its documentation is the life of a document.
//     Backoff.Decide, in decide.go, decides how a delivery is settled;
//     settle.go does it; heartbeat.go extends the lease of long work.
//   - match/score finds how well two documents fit together; all evidence is one table,
//     weights.go.
//   - match/rules decides which pairs are matches, by their competition.
//   - match is the work: load, find candidates, score, decide, ask, write.
//     ask.go asks what the rules leave open, and prompt.go writes the question.
//   - match/warning finds what people should look at although it is matched: copies,
//     goods that are billed twice, changed accounts, over-billed orders.
//   - match/threeway compares invoices with their orders and receipts, line by line.
//   - llm asks a model, and commits each answer before it is read, so that no
//     question is bought twice; llm/openai calls the server. llm/schema reads
//     answers by the JSON schema of their question.
//   - document/company and document/reference make names comparable: VAT ids, accounts and names
//     of companies; numbers, and citations in text.
//   - postgres holds all SQL, each statement beside its method: claim.go claims
//     and settles, match.go writes a match; postgres/schema brings a database
//     up to date with the migrations, which are beside this folder.
//
// # Repairs and reports
//
//   - failure decides the kind of a failure, once; an adapter classifies its
//     own errors in a table beside its code. internal/backoff waits between the
//     tries of what failed.
//   - job/sweep repairs documents whose worker crashed or whose message got lost;
//     cmd/sweep is its function.
//   - notify sends each failure once to each channel, at the end of the batch
//     or in the sweep; notify/slack and notify/email are channels.
//   - telemetry/emf writes the counts of a batch or a sweep as CloudWatch metrics, a
//     line of JSON; telemetry adds the invocation's ids to every line.
//   - manifest holds the facts that infrastructure and runtime share, one row
//     for each function; infra, beside this folder, describes the stack, from
//     the settings that infra/settings reads and the functions that
//     infra/bootstrap builds, with the alarms and graphs of infra/watch, and
//     cmd/migrate brings the schema up to date during a deployment.
//   - cli/doctor finds errors in a configuration or a stack; postgres/checkup reads
//     the state of a database for it.
//   - document defines a document, and refuses malformed ones; document/format is
//     its form as a JSON Schema, and names what departs from it.
//
// # From a file to its text
//
//   - cmd/ingest is the function that reads files, as cmd/match matches
//     documents; ingest is its work, from the file to the publication of its
//     documents. blob stores files and checkpoints, in S3 or in a
//     folder; blob/blobtest is a bucket for tests.
//   - cmd/inbox is the function that starts an ingestion for each file that is
//     laid into the inbox; ingest/inbox is its work.
//   - ingest/ingestion describes a file on its way to its documents, for the
//     store and both functions.
//   - ingest/filetype determines a file's type by its content, and refuses
//     what cannot be read.
//   - ingest/transcript defines a transcription: text by page and line, with
//     the place of each line.
//   - ingest/pdf reads the text layer, embedded XML and images of a PDF's
//     pages, with limits of memory and time.
//   - ingest/scan reads images, measures what makes them hard to read, and
//     repairs that.
//   - ingest/ocr reads a few pages at once, and bad ones again after a repair;
//     ingest/tesseract is an engine on this machine, ingest/documentai and
//     ingest/textract call Google's and Amazon's.
//   - ingest/extraction defines the result of reading a text: values with
//     quote, page and trust. ingest/printed reads values as they are printed.
//   - ingest/byrules extracts documents by labels, places and sums;
//     ingest/bymodel lets a model extract them, and drops invented values.
//   - ingest/gate decides whether an extraction needs a person.
//
// # From a contract to its findings
//
//   - cmd/review is the function; review is its work, on a chunk of a contract:
//     read.go has its stages, call.go what each call waits for; start.go starts a
//     review, ingested.go that of a contract that was ingested. review/reviewtest
//     keeps reviews in memory for its tests.
//   - review/chunk makes the text of a file, and divides it into parts that one
//     question holds.
//   - review/quote finds a quotation in a text, so that invented ones are dropped.
//   - review/record defines what is kept of a review: job, chunks, calls and
//     findings.
//   - review/analyst holds the questions to a model, with their prompts and
//     schemas, reads the answers, and decides which questions a passage needs.
//   - review/playbook holds a tenant's positions on clauses, and decides by them
//     where there is no model.
//   - review/category finds the categories of clauses by words and headings,
//     without a model.
//   - review/whole compares all parts: repetitions, missing clauses,
//     contradictions.
//   - review/report writes the result for a lawyer, as Markdown or HTML.
//   - review/web shows reviews over HTTP: an API, a stream of findings with signed
//     tokens, and a page; cmd/web is its function, behind a function URL.
//     internal/webguard protects pages for browsers.
//
// # From a date to its offers
//
//   - cmd/schedule is the function that queues the jobs of a date, in each time zone
//     at nine; scheduler.go of offer is its work.
//   - cmd/offer is the function that does them; offer composes the set of a user for
//     a date, by rosters that cache.go keeps.
//   - offer/day decides when a date is due in a time zone.
//   - offer/roster is the frozen list of users from which all sets of a date are
//     computed.
//   - offer/ranking decides which users of a roster are offered to which.
//   - notify/outbox decides when a receiver gets completed sets, and other programs their
//     events; notify/webhook sends both, signed.
//
// # The pages for people
//
//   - console has the pages: overview, lists and search, a document with the
//     evidence for its matches and a picture of its cluster, what waits for people.
//   - console/login lets people into the console, with their roles: by a link that
//     works once, on this machine; console/login/oidc by OpenID Connect, elsewhere.
//   - cmd/console is the function of the deployed console, behind an HTTP API of
//     API Gateway, whose events console/httpapi makes requests of.
//
// # On your machine
//
//   - local joins the parts of the line in a Stack: local/sqs is a strict SQS
//     with the faults of local/sqs/fault, local/eventsource the event source
//     mapping, local/lambdahost the Lambda Runtime API, and local/clock the time
//     of all three. local/scripted is the model that local runs ask, with its
//     faults, local/webhook accepts what Slack accepts,
//     local/pgserver is a private PostgreSQL and local/simclock moves its clock.
//   - job/riverbench, a module of its own, measures the runtime beside River.
//   - acceptance tests the whole line in that stack; acceptance/example is an
//     example of how to add a workload, whole, in two short files.
//   - job/jobtest tests the store of any workload; internal/archtest keeps the
//     tree and its pages as described here; internal/testenv decides what a run of
//     the tests leaves out, internal/executable writes programs for tests,
//     internal/browser opens pages in Chromium.
//   - document/einvoice reads electronic invoices, orders and notes into structured data,
//     and document/csvfile CSV files, by a mapping of their columns.
//   - document/corpus reads documents and true links; eval measures matches against
//     them, eval/train the rules alone, in memory; cli/cost sums up what models were paid.
//   - local/matchrun runs a folder of documents through that stack, and eval/matcheval
//     compares the matches of a corpus with its true links.
//   - local/reviewrun runs a contract through the stack of the review function, shows
//     findings as they come, and serves its page.
//   - local/offerrun runs a folder of users through the stack of the offer function, and
//     shows match offers to people: the sets of a date, its state, and the fate of
//     jobs that are published again.
//   - eval/revieweval compares the categories of contracts with the labels of
//     people.
//   - local/ingestrun runs files through the stack of both functions, and reports and
//     shows for each field where it is printed and why it is trusted.
//   - cli/explain reads for people why documents match or do not, and stores what
//     a person confirms, rejects or corrects; postgres/report holds the SQL of such reads.
//   - cli/importer stores the documents of files in any database, and publishes them.
//   - job/republish publishes failed documents again, in batches, and events.
//   - local/drill breaks everything at once, and decides whether the promise was kept.
//   - cmd/matchbook is the command for operators and integrators, cmd/mbdev that for
//     developers, and cli their frame: outputs, help and exit codes; cli/clitest
//     runs both in tests. local/database opens the database, cli/term cleans and
//     lays out text, cli/errtext words errors, and llm/openai/recording records
//     exchanges with a model for tests.
//
// # To add something
//
// A workload, a channel, a piece of evidence, a kind of failure or a migration:
// .github/CONTRIBUTING.md has the steps.
package lambda
