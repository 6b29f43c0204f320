package record

// Card holds the facts found by one reading of the whole contract. Every later question and the
// report get it. Dates are written as 2026-03-31; an unknown one is empty.
type Card struct {
	ByModel     bool    `json:"by_model"` // false: by rules alone, so it may lack much
	Type        string  `json:"type"`     // of the contract
	Parties     []Party `json:"parties"`
	Effective   string  `json:"effective"`
	End         string  `json:"end"`         // last day of the first term
	Term        Span    `json:"term"`        // the first one
	Renewal     Span    `json:"renewal"`     // each further one
	Notice      Span    `json:"notice"`      // that prevents a renewal
	LastNotice  string  `json:"last_notice"` // last day to give it; computed from the above
	Sums        []Fact  `json:"sums"`
	Precedence  Fact    `json:"precedence"`  // the clause that ranks parts of the contract
	Definitions []Fact  `json:"definitions"` // by their terms
	Absent      []Fact  `json:"absent"`      // protections usual for the type; Quote has the reason
	Outline     string  `json:"outline"`     // headings
}

// Party is a party of the contract.
type Party struct {
	Name string `json:"name"`
	Term string `json:"term"` // the contract's name for it
	Role string `json:"role"`
	Ours bool   `json:"ours"`
}

// Fact is a quote on one line, with its place. End is 0 if the place is unknown.
type Fact struct {
	Name  string `json:"name"`
	Quote string `json:"quote"`
	Start int    `json:"start_offset"`
	End   int    `json:"end_offset"`
}

// Span is a period with the clause that sets it. N is 0 if it's unknown.
type Span struct {
	N    int    `json:"n"`
	Unit string `json:"unit"` // day, week, month or year
	Fact
}
