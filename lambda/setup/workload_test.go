package setup_test

import (
	"testing"

	"matchbook/lambda/setup"
)

// A function without a table would be opened on a table without a name.
func TestEveryFunctionHasATable(t *testing.T) {
	t.Parallel()
	for _, w := range setup.Workloads() {
		if w.Table.Name == "" {
			t.Errorf("%s has none in postgres.Tables", w.Name)
		}
	}
}
