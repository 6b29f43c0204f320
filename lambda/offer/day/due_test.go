package day

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// at reads an instant such as 2026-03-29T07:00Z.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	layout := time.RFC3339
	if len(s) == len("2026-03-29T07:00Z") {
		layout = "2006-01-02T15:04Z07:00"
	}
	return must.Get(time.Parse(layout, s))(t)
}

func date(t testing.TB, s string) Date {
	t.Helper()
	return must.Get(Parse(s))(t)
}

func TestDueAtLocalNine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, date, want string }{
		{"UTC", "2026-03-29", "2026-03-29T09:00Z"},
		{"Asia/Kolkata", "2026-03-29", "2026-03-29T03:30Z"},      // +5:30
		{"Asia/Kathmandu", "2026-03-29", "2026-03-29T03:15Z"},    // +5:45
		{"Australia/Eucla", "2026-03-29", "2026-03-29T00:15Z"},   // +8:45
		{"America/St_Johns", "2026-01-15", "2026-01-15T12:30Z"},  // -3:30
		{"Pacific/Marquesas", "2026-01-15", "2026-01-15T18:30Z"}, // -9:30
		{"Pacific/Kiritimati", "2026-03-29", "2026-03-28T19:00Z"},
		{"Etc/GMT-14", "2026-03-29", "2026-03-28T19:00Z"},
		{"Etc/GMT+12", "2026-03-29", "2026-03-29T21:00Z"},
		{"Pacific/Pago_Pago", "2026-03-29", "2026-03-29T20:00Z"},
		// Clocks change in the night before nine o'clock.
		{"Europe/Berlin", "2026-03-28", "2026-03-28T08:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-29T07:00Z"},
		{"Europe/Berlin", "2026-10-24", "2026-10-24T07:00Z"},
		{"Europe/Berlin", "2026-10-25", "2026-10-25T08:00Z"},
		{"America/New_York", "2026-03-07", "2026-03-07T14:00Z"},
		{"America/New_York", "2026-03-08", "2026-03-08T13:00Z"},
		{"America/New_York", "2026-11-01", "2026-11-01T14:00Z"},
		{"Pacific/Chatham", "2026-04-04", "2026-04-03T19:15Z"}, // +13:45
		{"Pacific/Chatham", "2026-04-05", "2026-04-04T20:15Z"}, // +12:45
		{"Pacific/Chatham", "2026-09-27", "2026-09-26T19:15Z"},
		{"Australia/Lord_Howe", "2026-04-04", "2026-04-03T22:00Z"}, // +11
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T22:30Z"}, // +10:30: by half an hour
		{"Australia/Lord_Howe", "2026-10-04", "2026-10-03T22:00Z"},
		{"America/Santiago", "2026-09-06", "2026-09-06T12:00Z"}, // midnight is skipped
		{"Africa/Casablanca", "2026-02-15", "2026-02-15T09:00Z"},
		{"Africa/Casablanca", "2026-03-22", "2026-03-22T08:00Z"}, // summer time ends for a month, and begins again
		{"Europe/Dublin", "2026-07-01", "2026-07-01T08:00Z"},     // winter time is the exception there
		// The far side of the date line, before and after.
		{"Pacific/Apia", "2011-12-29", "2011-12-29T19:00Z"},
		{"Pacific/Apia", "2011-12-30", ""},
		{"Pacific/Apia", "2011-12-31", "2011-12-30T19:00Z"},
		{"Pacific/Fakaofo", "2011-12-30", ""},
		{"Pacific/Kiritimati", "1994-12-30", "1994-12-30T19:00Z"}, // -10
		{"Pacific/Kiritimati", "1994-12-31", ""},
		{"Pacific/Kiritimati", "1995-01-01", "1994-12-31T19:00Z"},
		{"Pacific/Kwajalein", "1993-08-21", ""},
		{"America/Juneau", "1867-10-18", "1867-10-17T17:57:41Z"}, // lived twice; the first of them, as in Russia
		// The last days of leap years.
		{"Europe/Berlin", "2028-12-31", "2028-12-31T08:00Z"},
		{"Europe/Berlin", "2029-01-01", "2029-01-01T08:00Z"},
		{"Pacific/Auckland", "2028-12-31", "2028-12-30T20:00Z"},
		{"Pacific/Auckland", "2029-01-01", "2028-12-31T20:00Z"},
		{"America/New_York", "2028-12-31", "2028-12-31T14:00Z"},
		// The database ends with rules, which hold for ever.
		{"Europe/Berlin", "2099-07-01", "2099-07-01T07:00Z"},
	} {
		got, ok := Due(date(t, c.date), zone(t, c.zone))
		switch {
		case !ok && c.want != "":
			t.Errorf("%s in %s is never due, want %q", c.date, c.zone, c.want)
		case ok && (c.want == "" || !got.Equal(at(t, c.want)) || got.Location() != time.UTC):
			t.Errorf("%s in %s is due %s, want %q", c.date, c.zone, got.Format(time.RFC3339), c.want)
		}
	}
}
