package doctor_test

import (
	"context"
	"fmt"
	"os"

	"matchbook/lambda/cli/doctor"
)

func Example() {
	template, err := os.ReadFile("../../../testdata/doctor/healthy.template.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := doctor.Examine(context.Background(), doctor.Options{Template: template, Connections: 40})
	if err != nil {
		fmt.Println(err)
		return
	}
	worst := report.Findings[0]
	fmt.Println(worst.Severity, worst.ID)
	fmt.Println(worst.What)
	fmt.Println(worst.Do)
	// Output:
	// error connections
	// 2 connections of the sweep, 2 of migrate, 1 of schedule, 8 x 5 of MatchFunction: 45 in all, and the database has 40 (--connections)
	// Let the database have 5 more connections, or lower MaximumConcurrency of MatchFunction to 7.
}
