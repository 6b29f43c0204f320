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
// # Other drills
//
// What drills have in common is in three places. local.Stack has the real functions,
// the queues with their faults, the clocks, and Drain, which waits until all is at
// its end. Package scripted has the model, with its faults. StartScript, here, makes
// each process known to the servers around it, so that an account can tell the calls
// of a process that died. The drill of ingest and the crash test of reviews, in
// package acceptance, are made of these.
//
// What is here on top is for match alone. Its faults hit by chance, which finds what
// nobody thought of; ingest needs a kill at each of ten steps, some of which last for
// microseconds, so its test holds processes there by locks. Its evidence is of
// documents; another workload has other tables, and other effects to pay for twice.
// The random walk of job/jobtest has no process: it steps through a store and compares
// each row. The simulation of reviews lets days pass in a synctest bubble, which no
// process and no socket can enter.
//
// # Chance
//
// Documents and the order of the faults follow from the seed. The targets of
// the faults do not: processes are real.
package drill
