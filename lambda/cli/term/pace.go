package term

import (
	"fmt"
	"time"
)

// Pace describes progress on a known number of things, with the rate so far and the time
// left at this rate.
type Pace struct {
	Total int
	Began time.Time
}

// Of returns the progress, as in "300 of 1000, 100 per second, 7 s left".
func (p Pace) Of(done int) string { return p.at(done, time.Since(p.Began)) }

func (p Pace) at(done int, took time.Duration) string {
	if done <= 0 || took <= 0 {
		return fmt.Sprintf("%d of %d", done, p.Total)
	}
	rate := float64(done) / took.Seconds()
	left := time.Duration(float64(p.Total-done) / rate * float64(time.Second))
	return fmt.Sprintf("%d of %d, %s, %s left", done, p.Total, Rate(rate), Short(left))
}

// Rate formats a rate: 3 per minute, 2.5 per second, 1200 per second.
func Rate(perSecond float64) string {
	switch {
	case perSecond < 0.5:
		return fmt.Sprintf("%.0f per minute", perSecond*60)
	case perSecond < 10:
		return fmt.Sprintf("%.1f per second", perSecond)
	}
	return fmt.Sprintf("%.0f per second", perSecond)
}

// Short formats a duration to the second or the minute: 40 s, 3 min, 2 h 5 min.
func Short(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
