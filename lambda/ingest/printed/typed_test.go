package printed

import "testing"

func TestTyped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, value, want string }{
		{"date", "2026-11-16", "2026-11-16"},
		{"date", " 16.11.2026", "2026-11-16"},
		{"date", "16.11.26", "2026-11-16"},
		{"date", "16/11/2026", "2026-11-16"}, // there is no 16th month
		{"date", "16 November 2026", "2026-11-16"},
		{"date", "03/04/2026", "03/04/2026"},                         // April or March
		{"date", "31.02.2026", "31.02.2026"},                         // no such day
		{"date", "12.31.2026", "12.31.2026"},                         // no such month
		{"date", "16.11.2026, 17.11.2026", "16.11.2026, 17.11.2026"}, // two days
		{"date", "about 16.11.2026", "about 16.11.2026"},
		{"total", "1.234,50", "1234.50"},
		{"total", "1,234.50", "1234.50"},
		{"total", "1 234,5", "1234.5"},
		{"total", "1,500", "1,500"}, // or 1.5
		{"total", "0,500", "0.500"},
		{"total", "1.500", "1.500"}, // as programs write it
		{"line_items.0.amount", "-12,00", "-12.00"},
		{"number", "16.11.2026", "16.11.2026"},
		{"number", "1,500", "1,500"},
		{"nothing", "1,5", "1,5"},
	} {
		if got := Typed(tc.path, tc.value); got != tc.want {
			t.Errorf("%s=%s: got %s, want %s", tc.path, tc.value, got, tc.want)
		}
	}
}
