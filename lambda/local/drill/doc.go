// Package drill is the chaos drill: minutes of mixed faults on the real
// bootstraps of match and sweep, and a verdict.
//
// The line comes from package local: the bootstraps behind the Runtime API, the
// SDK over HTTP against the strict SQS, a private PostgreSQL, all timeouts,
// retries and visibilities as they are deployed, on a clock that jumps when the
// line is idle. The sweep runs on each minute of it.
//
// The verdict does not rely on the runtime. Triggers in the drill's database
// note every change of a document's state with the process that made it
// (audit.go); the queue, the event source mapping, the model server and the
// receiver of Slack's messages keep records of their own (journal.go). From
// these, and from the tables at the end, verdict.go and invariants.go check
// each invariant of the design, and compare the matches with those of a quiet
// run of the same documents.
//
// Documents and the order of the faults follow from the seed. The targets of
// the faults do not: processes are real.
package drill
