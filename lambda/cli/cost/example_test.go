package cost_test

import (
	"fmt"
	"time"

	"matchbook/lambda/cli/cost"
)

func ExampleWork_Batch() {
	measured, err := cost.ReadMeasured(nil)
	if err != nil {
		panic(err)
	}
	w := cost.Work{
		Questions: 1, // every document asks
		Latency:   cost.Latency{Min: time.Second, Max: 4 * time.Second},
		Tenants:   1, MemoryMB: 512, Pool: 5, Measured: measured,
	}
	// How many documents, their longest answer if all ask, and the invocation. A
	// batch of one asks less often than always: a document that asks is delivered
	// again now and then without a question.
	for _, n := range []int{1, 10} {
		fmt.Println(n, w.Latency.Longest(n).Round(10*time.Millisecond), w.Batch(n).Round(10*time.Millisecond))
	}
	// Output:
	// 1 2.5s 1.41s
	// 10 3.73s 3.72s
}
