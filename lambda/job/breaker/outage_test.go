package breaker_test

import (
	"flag"
	"reflect"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
)

// sixHours is the model's outage in every simulation of this file.
func sixHours(service string, at time.Duration) bool {
	return service == theModel && at >= time.Hour && at < 7*time.Hour
}

// documents is for a run at full size, with a control without breakers; it takes half an hour:
//
//	go test ./lambda/job/breaker -run TestSixHours -v -timeout 2h -documents 100000
var documents = flag.Int("documents", 0, "simulate so many documents, a hundredth of files and a five-hundredth of reviews")

func TestSixHours(t *testing.T) {
	t.Parallel()
	o := outage{documents: testenv.Size(96, 500), files: testenv.Size(24, 48), reviews: testenv.Size(4, 6),
		arriving: 8 * time.Hour, lasting: 9 * time.Hour, every: 5 * time.Minute, workers: 2, away: sixHours}
	if *documents > 0 {
		o.documents, o.files, o.reviews, o.every = *documents, *documents/100, *documents/500, time.Minute
	}
	got := o.run(t)
	t.Logf("with breakers: %+v", got)
	want := result{told: []string{theModel + ": outage", theModel + ": outage over"}, wasted: got.wasted, done: got.done}
	if !reflect.DeepEqual(got, want) || got.done == 0 || got.wasted > 100+o.documents/100 {
		t.Errorf("got %+v", got)
	}
	if !testenv.Thorough() && *documents == 0 {
		return
	}
	o.control = true
	control := o.run(t)
	t.Logf("without: %+v", control)
	if control.failed < (o.documents+o.files)/2 || control.dead == 0 || control.wasted < 8*got.wasted {
		t.Errorf("without breakers: got %+v", control)
	}
}

// Up for 30 s, down for 90 s, for two hours: that is one outage.
func TestFlapping(t *testing.T) {
	t.Parallel()
	begin, end := 10*time.Minute, 10*time.Minute+time.Duration(testenv.Size(16, 120))*time.Minute
	o := outage{documents: testenv.Size(130, 1000), files: 12, reviews: 2,
		arriving: end + 10*time.Minute, lasting: end + 25*time.Minute, every: time.Minute, tick: 20 * time.Second, workers: 2,
		away: func(service string, at time.Duration) bool {
			return service == theModel && at >= begin && at < end && at%(2*time.Minute) >= 30*time.Second
		}}
	got := o.run(t)
	t.Logf("with breakers: %+v", got)
	want := result{told: []string{theModel + ": outage", theModel + ": outage over"}, wasted: got.wasted, done: got.done}
	if !reflect.DeepEqual(got, want) || got.done == 0 {
		t.Errorf("got %+v", got)
	}
}

// The OCR is away for good: all that doesn't need it goes on at once.
func TestOtherServiceGoesOn(t *testing.T) {
	t.Parallel()
	o := outage{documents: 48, files: 24, reviews: 2, arriving: 2 * time.Hour, lasting: 3 * time.Hour, every: 5 * time.Minute, workers: 2,
		away: func(service string, at time.Duration) bool { return service == theOCR && at >= 31*time.Minute }}
	got := o.run(t)
	want := result{unfinished: 18, told: []string{theOCR + ": outage"}, wasted: got.wasted}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Of two providers, one is away for good after a quarter of 60 documents: of the other 45, the nine of
// the tenant with the other provider are done.
func TestOtherProviderGoesOn(t *testing.T) {
	t.Parallel()
	o := outage{documents: 60, arriving: 2 * time.Hour, lasting: 3 * time.Hour, every: 5 * time.Minute, workers: 2, twoProviders: true,
		away: func(service string, at time.Duration) bool { return service == theModel && at >= 31*time.Minute }}
	got := o.run(t)
	want := result{unfinished: 36, told: []string{theModel + ": outage"}, wasted: got.wasted}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
