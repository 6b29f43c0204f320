// Package day has calendar dates and time zones, and decides when a date is due in a zone.
package day

import (
	"fmt"
	"time"
)

// Date is a date of a calendar: the number of days since 1970-01-01.
type Date int32

const form = "2006-01-02"

// Of returns the date shown by the clocks at t, in t's location.
func Of(t time.Time) Date {
	year, month, day := t.Date()
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// Parse reads a date such as 2026-03-29.
func Parse(s string) (Date, error) {
	t, err := time.Parse(form, s)
	if err != nil {
		return 0, fmt.Errorf("invalid date %.20q: must be such as 2026-03-29", s)
	}
	return Of(t), nil
}

// Time returns midnight of the date in UTC. Use it to store a date.
func (d Date) Time() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

// String returns the date as 2026-03-29.
func (d Date) String() string { return d.Time().Format(form) }

// MarshalText writes a date as String does.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a date as Parse does.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = Parse(string(text))
	return err
}
