package emf_test

import (
	"fmt"
	"os"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/telemetry/emf"
)

func Example() {
	set := emf.New("prod", manifest.Match.Name)
	set.Count(metric.Succeeded, 3)
	if err := set.Flush(os.Stdout, time.UnixMilli(0)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"Function":"match","Stage":"prod","Succeeded":3,"_aws":{"CloudWatchMetrics":[{"Dimensions":[["Stage","Function"]],"Metrics":[{"Name":"Succeeded","Unit":"Count"}],"Namespace":"Matchbook"}],"Timestamp":0}}
}
