package setup_test

import (
	"testing"

	"matchbook/lambda/setup"
)

// A function without a table would be opened on a table without a name. Alarms and
// notifications name its rows by the same word.
func TestEveryFunctionHasATable(t *testing.T) {
	t.Parallel()
	for _, w := range setup.Workloads() {
		if w.Table.Name == "" {
			t.Errorf("%s has none in postgres.Tables", w.Name)
		}
		if w.Function.Subject != w.Table.Subject {
			t.Errorf("%s: alarms call a row %q, notifications call it %q", w.Name, w.Function.Subject, w.Table.Subject)
		}
	}
}
