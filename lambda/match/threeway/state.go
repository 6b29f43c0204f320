package threeway

import "slices"

// State is the result of people's actions about an invoice with a three-way match.
type State string

// The states. An invoice is Open until a person acts, and Reopened when its facts change after
// that.
const (
	Open     State = "open"
	Reopened State = "reopened"
	Approved State = "approved"
	OnHold   State = "on-hold"
	Disputed State = "disputed"
)

// States lists the states.
var States = []State{Open, Reopened, OnHold, Disputed, Approved}

// Action is a person's act about an invoice.
type Action string

// The actions. Withdraw takes back the last one.
const (
	Approve  Action = "approve"
	Hold     Action = "hold"
	Dispute  Action = "dispute"
	Withdraw Action = "withdraw"
)

// Actions lists the actions.
var Actions = []Action{Approve, Hold, Dispute, Withdraw}

// State returns the state after the action; empty for an unknown one.
func (a Action) State() State {
	return map[Action]State{Approve: Approved, Hold: OnHold, Dispute: Disputed, Withdraw: Open}[a]
}

// Verdicts lists the verdicts about invoices: differing ones, the worst first, or agreeing ones.
func Verdicts(agreeing bool) (list []Verdict) {
	for _, v := range append(slices.Clone(ranks), Unchecked, WithoutOrder) {
		if v.Agrees() == agreeing {
			list = append(list, v)
		}
	}
	slices.Reverse(list)
	return list
}
