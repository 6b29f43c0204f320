// Package metric holds the names of CloudWatch metrics, which infrastructure and
// runtime share. Alarms and the dashboard are built from these names.
package metric

// Functions count and measure in Namespace, with these dimensions and no others.
const (
	Namespace         = "Matchbook"
	DimensionStage    = "Stage"    // STAGE
	DimensionFunction = "Function" // the name of a row of manifest
)
