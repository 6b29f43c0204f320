package threeway

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseSupplier(t *testing.T) {
	t.Parallel()
	var got []string
	for _, text := range []string{"", " \t", " Nordlicht  OHG ", "DE 811 907 980", "DE811907981", "?"} {
		key, err := ParseSupplier(text)
		got = append(got, fmt.Sprintf("%q %v", key, err))
	}
	want := []string{`"" <nil>`, `"" <nil>`, `"nordlicht" <nil>`, `"DE811907980" <nil>`, `"" invalid check digits or country of the VAT id`, `"" missing name`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
