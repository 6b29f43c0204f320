// Package drill is the chaos drill: it runs the real bootstraps of all workloads, of the sweep and
// of the schedule under minutes of mixed faults, and returns a verdict.
//
// It uses package local: the bootstraps behind the Runtime API, the SDK over HTTP against the
// strict SQS, a private PostgreSQL, and all timeouts, retries and visibilities as deployed, on
// a clock that jumps when everything is idle. The sweep runs every minute of that clock.
//
// The verdict must not rely on the runtime, so the drill keeps its own records. Database
// triggers record every change of a row's state with its process (see audit.go); the queues, the
// event source mapping, the model server, the OCR, Slack and the receiver of sets keep journals (see
// journal.go). From these and the final tables, verdict.go and invariants.go check each
// invariant of the design, and compare the results with a quiet run of the same papers.
//
// # Workloads
//
// A workload is a value (see workload.go): what is laid before the function, which columns and
// tables only a claim may write, which transitions are legal, and its own checks. It has a file:
// documents.go, files.go, contracts.go and sets.go. Faults, audit and the other checks are the
// same for all.
//
// # Other drills
//
// Other drills can use three parts. local.Stack has the real functions, the queues with their
// faults, the clocks, and Drain, to wait until everything has ended. Package scripted has the
// model with its faults. StartScript, here, identifies each process to the servers around it,
// so that you can attribute calls to a process even after its death. The drill of ingest and
// the crash test of reviews, in package acceptance, use them.
//
// The faults here strike at random, because that finds unforeseen cases. The test of ingest kills
// at each of ten steps, some lasting microseconds, so it uses locks to hold processes there. The
// random walk of job/jobtest works without processes: it steps through a store and compares each
// row. The simulation of reviews lets days pass in a synctest bubble, closed to processes and
// sockets.
//
// # Chance
//
// The seed determines the papers and the order of the faults, but not the targets, since
// the processes are real.
package drill
