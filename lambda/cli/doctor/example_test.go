package doctor_test

import (
	"context"
	"fmt"

	"matchbook/lambda/cli/doctor"
)

func Example() {
	env := map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "MATCH_QUEUE_URL": "nowhere", "MATCH_MODE": "rules"}
	report, err := doctor.Examine(context.Background(), doctor.Options{Env: func(name string) string { return env[name] }})
	if err != nil {
		fmt.Println(err)
		return
	}
	worst := report.Findings[0]
	fmt.Println(worst.Severity, worst.ID)
	fmt.Println(worst.What)
	fmt.Println(worst.Do)
	// Output:
	// error configuration
	// QUEUE_URL: invalid queue URL; expected one like https://sqs.eu-central-1.amazonaws.com/123456789012/name
	// Set or correct the variable; see lambda/setup/README.md.
}
