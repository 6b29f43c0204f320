package setup_test

import (
	"maps"
	"testing"

	"matchbook/lambda/manifest/contract"
)

// A function starts with the variables that its contract requires, and not without one of them.
func TestContractRequired(t *testing.T) {
	t.Parallel()
	load := loaders()
	for _, f := range contract.Describe("1").Functions {
		needed := map[string]any{}
		for _, v := range f.Environment {
			if v.Required {
				needed[v.Name] = map[string]any{"Ref": v.Name} // known to a deployment only
			}
		}
		name := resource(f.Name)
		if err := load[name](environment(needed)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for variable := range needed {
			less := maps.Clone(needed)
			delete(less, variable)
			if err := load[name](environment(less)); err != nil {
				wantError(t, err, variable)
			} else {
				t.Errorf("%s starts without %s", name, variable)
			}
		}
		if len(needed) == 0 {
			t.Errorf("%s needs nothing", name)
		}
	}
}
