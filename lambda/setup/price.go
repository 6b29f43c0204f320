package setup

import (
	"fmt"
	"strconv"
	"strings"

	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

func price(env Env, errs *[]error) (p llm.Price) {
	const form = "the prices of the prompt and of the answer in USD per million tokens, such as 0.40,1.60"
	optional(env, variable.ModelPrice, form, errs, func(text string) bool {
		prompt, completion, both := strings.Cut(text, ",")
		var ok1, ok2 bool
		p.Prompt, ok1 = dollars(prompt)
		p.Completion, ok2 = dollars(completion)
		return both && ok1 && ok2
	})
	return p
}

func dollars(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && v >= 0 && v <= 10_000 // false for NaN too
}

// maxCallsInFlight is far above the need, since a call takes a connection to the model and
// some memory.
const maxCallsInFlight = 256

func callsInFlight(env Env, f manifest.Function, errs *[]error) int {
	form := fmt.Sprintf("a whole number from 1 to %d", maxCallsInFlight)
	n := f.CallsInFlight
	optional(env, variable.CallsInFlight, form, errs, func(text string) bool {
		var err error
		n, err = strconv.Atoi(text)
		return err == nil && n >= 1 && n <= maxCallsInFlight
	})
	return n
}
