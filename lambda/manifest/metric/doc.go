// Package metric holds the names of CloudWatch metrics, shared by infrastructure and runtime.
// You must use these names for alarms and the dashboard.
package metric

// Functions count and measure in Namespace, with only these dimensions.
const (
	Namespace         = "Matchbook"
	DimensionStage    = "Stage"    // from STAGE
	DimensionFunction = "Function" // the name of the function's row in manifest
)
