// Package breaker parks work while a service it needs is away: a provider's model, or an OCR.
// Without it, an outage longer than the queue's retries fails every row that meets it. The
// breaker of a service is one row, shared by all processes; see postgres/breaker.go. Use Do
// around each call.
//
// # States
//
//	closed     calls go through
//	open       no call is made; work that needs the service is parked
//	half-open  one call, the probe, is under way; all other work is parked
//
// Parked work ends its delivery with a failure.Parked: its row is pending with the service's
// name, and its message is acknowledged, so no delivery is spent. Answers in the vault, rules
// and everything else that doesn't call the service go on.
//
// # Transitions
//
//	event                               state      next       who
//	a call fails away, not enough yet   closed     closed     the caller counts it
//	a call fails away, and that trips   closed     open       the caller; the first opens the outage
//	the next probe is due               open       half-open  one caller, by a lease in the row
//	the probe's lease ended             half-open  half-open  one caller, as above
//	the probe doesn't succeed           half-open  open       its caller; waits double up to 5 min
//	a call succeeds                     any        closed     its caller
//
// A call fails away if its row in a failure.Table says so: 5xx, timeouts, broken connections, an
// exhausted quota. Other errors, such as 400, 401 or 429, open no breaker, since waiting doesn't
// mend them, and close none, since a revoked key would then fail all parked rows. State.Trips
// decides when failed calls open a breaker.
//
// # Outages
//
// An outage begins when its breaker opens, and ends when the breaker has been closed for Calm
// without a failed call; each writes one notification. So a service that comes and goes is one outage. During an outage
// every call that fails away parks its work, even if the breaker is closed just then.
//
// The sweep publishes parked rows at a bounded rate once the breaker is closed. While it is open
// and a probe is due, the sweep publishes one row of each table to be the probe, in case no new
// work comes (job/sweep). If nobody takes the probe for a while, the service is no longer in use,
// perhaps because another model was configured, and its rows are published as if it were back.
//
// If a statement of a breaker fails, the call is made, and its error is settled, as if there was
// no breaker.
package breaker
