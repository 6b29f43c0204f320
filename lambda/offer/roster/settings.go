package roster

import (
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/offer/day"
)

// Settings are a tenant's choices for its offers. Use Usual for the defaults.
type Settings struct {
	MinimumAge   int        `json:"minimum_age"`   // in the year of the date; others, and users without an age, meet no one; 0: any age
	Exposure     int        `json:"exposure"`      // how often to show a candidate on a date, at most
	SetSize      int        `json:"set_size"`      // offers in a set, at most
	RestDays     int        `json:"rest_days"`     // before two users meet again after an answer
	StaleDays    int        `json:"stale_days"`    // leave users out who weren't seen for so many days; 0: keep them
	DeliveryHour int        `json:"delivery_hour"` // from which a date is due, by the user's clock
	SkipWeekends bool       `json:"skip_weekends"` // Saturdays and Sundays
	Holidays     []day.Date `json:"holidays"`      // further dates without sets, sorted
}

// Usual returns the settings of a tenant without a choice.
func Usual() Settings { return Settings{Exposure: 30, SetSize: 10, RestDays: 90, DeliveryHour: 9} }

// Limits of the settings.
const (
	MaxExposure = 1000
	MaxSetSize  = 100
	MaxDays     = 3650 // of a rest, or without being seen
	maxHolidays = 1000
)

// Check returns an error that names the first invalid setting.
func (s Settings) Check() error {
	for _, b := range []struct {
		name               string
		value, least, most int
	}{
		{"minimum_age", s.MinimumAge, 0, 150},
		{"exposure", s.Exposure, 1, MaxExposure},
		{"set_size", s.SetSize, 1, MaxSetSize},
		{"rest_days", s.RestDays, 0, MaxDays},
		{"stale_days", s.StaleDays, 0, MaxDays},
		{"delivery_hour", s.DeliveryHour, 0, 23},
		{"the number of holidays", len(s.Holidays), 0, maxHolidays},
	} {
		if !within(b.value, b.least, b.most) {
			return fmt.Errorf("%s must be from %d to %d", b.name, b.least, b.most)
		}
	}
	return nil
}

// Rule says when the dates of the tenant are due.
func (s Settings) Rule() day.Rule {
	return day.Rule{At: time.Duration(s.DeliveryHour) * time.Hour, Paused: s.Paused}
}

// Paused reports whether a date has no sets.
func (s Settings) Paused(d day.Date) bool {
	weekday := d.Time().Weekday()
	return s.SkipWeekends && (weekday == time.Saturday || weekday == time.Sunday) || slices.Contains(s.Holidays, d)
}
