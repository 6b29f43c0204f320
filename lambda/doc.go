// Package lambda is a tour through Matchbook, in reading order. It holds no
// code.
//
// A message names a document. Follow it:
//
//   - cmd/match is the Lambda function; setup turns its environment into
//     opened adapters; secret reads what Secrets Manager holds.
//   - job/sqsjob turns the SQS event into deliveries, and the ends of the
//     deliveries into the response.
//   - job is the runtime, and its documentation the life of a document: claim,
//     run, decide, settle. Schedule.Decide says how a delivery ends.
//   - match is the work: normalise, find candidates, compare, decide, write.
//     All that speaks for and against a pair is one table, in weights.go.
//     What rules leave open is asked in ask.go; llm asks, keeps the answer
//     before it is read, and never buys one twice; llm/openai speaks to models.
//   - company and reference bring what documents name into comparable form:
//     VAT ids, accounts, names; numbers, and citations in text.
//   - postgres holds all SQL, each statement beside its method; migrations
//     holds the schema.
//
// What repairs and explains:
//
//   - failure decides once what kind of failure an error is.
//   - sweep repairs what crashed or got lost; cmd/sweep is its function.
//   - notify tells people of failures, once: at the end of the batch, or by
//     the sweep; notify/slack and notify/email are channels.
//   - metric writes what a batch or a sweep did as CloudWatch metrics, a line
//     of JSON; telemetry counts, and logs with the invocation's ids.
//   - manifest holds the facts that infrastructure and runtime share; infra,
//     beside this folder, describes what is deployed, and cmd/migrate brings the
//     schema up to date while it is.
//   - doctor finds what is wrong with a configuration, a template or a stack.
//   - document says what a document is, and refuses what is none.
//
// What lets it run here:
//
//   - local is a strict SQS, the event source mapping, the Lambda Runtime API
//     and a clock that jumps; local/scripted answers like a model and is none,
//     local/webhook takes what Slack takes, local/pgserver is a private
//     PostgreSQL and local/simclock moves its clock.
//   - job/jobtest is what the store of any workload must do, as tests;
//     internal/archtest is what keeps this tree as it is described here.
//   - eval measures matches against true links; plan says what a month costs
//     and how many documents an hour go through.
//   - drill breaks all of it at once, and decides whether the promise was kept.
//   - cmd/matchbook is the command for developers and operators.
package lambda
