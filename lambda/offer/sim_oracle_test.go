package offer_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// simPerson is a user, and the simulation's record of the life.
type simPerson struct {
	offer.User
	life  []chapter
	first day.Date
	fates []fate // of the dates from the first on
}

// chapter is a part of a life, until the next one begins: a zone, or away.
type chapter struct {
	From   time.Time
	Zone   string
	Active bool
}

// fate is what became of a date: whether the user is in its roster, and its job.
type fate struct{ member, committed, ended, skipped bool }

func (p *simPerson) fate(date day.Date) *fate { return &p.fates[date-p.first] }

// Zones on both sides of the date line.
var (
	east = []string{"Pacific/Pago_Pago", "Pacific/Midway", "Pacific/Niue", "Pacific/Honolulu", "America/Adak", "Etc/GMT+12"}
	west = []string{"Pacific/Kiritimati", "Pacific/Apia", "Pacific/Tongatapu", "Pacific/Auckland", "Pacific/Chatham", "Etc/GMT-14"}
)

// join adds a user.
func (s *simulation) join() {
	p := &simPerson{User: offer.User{ID: uuid.NewSHA1(tenants[0], fmt.Append(nil, s.rand.Uint64())), Tenant: tenants[0],
		Zone: pick(s.rand, day.Zones()), Active: true}, first: day.Of(s.start) - 5}
	p.fates = make([]fate, day.Of(s.end)-p.first+5)
	s.people, s.byID[p.ID] = append(s.people, p), p
	p.Profile, p.Preferences = profile(s.rand)
	s.begin(p)
}

// begin begins a chapter of a life.
func (s *simulation) begin(p *simPerson) {
	p.life = append(p.life, chapter{s.now, p.Zone, p.Active})
	s.store.Put(p.User)
}

// plot plans what happens to all users on the day that begins.
func (s *simulation) plot() {
	for _, p := range s.people {
		x := s.rand.Float64()
		s.after(s.draw(aDay), func() { s.happens(p, x) })
		if x > 0.999 {
			s.after(s.draw(aDay), s.join)
		}
	}
}

func (s *simulation) happens(p *simPerson, x float64) {
	switch {
	case x < 0.005, !p.Active && x < 0.1: // leaves or comes back
		p.Active = !p.Active
	case !p.Active || x > 0.12:
		return
	case x < 0.02:
		p.Profile, p.Preferences = profile(s.rand)
	case x < 0.07:
		now := s.now
		p.ActiveAt = &now
	default:
		s.travel(p)
	}
	s.begin(p)
}

// travel moves a user, at every second time over the date line, sometimes back at once.
func (s *simulation) travel(p *simPerson) {
	home, to, at := p.Zone, pick(s.rand, day.Zones()), s.now
	if s.rand.IntN(2) == 0 {
		to = pick(s.rand, east)
		if slices.Contains(east, home) { // just before midnight: over a whole date
			y, m, d := s.now.In(zone(home)).Date()
			to, at = pick(s.rand, west), time.Date(y, m, d, 23, 40, 0, 0, zone(home))
		}
	}
	move := func(zone string) func() {
		return func() {
			s.counts["moves"]++
			p.Zone = zone
			s.begin(p)
		}
	}
	s.at(at, move(to))
	if s.rand.IntN(5) == 0 {
		s.at(at.Add(s.draw(aDay)), move(home))
	}
}

func zone(name string) *time.Location {
	zone, err := day.Zone(name)
	if err != nil {
		panic(err) // the names are those of package day
	}
	return zone
}

// profile draws a profile and preferences; one in two hundred cannot be read.
func profile(r *rand.Rand) (profile, preferences json.RawMessage) {
	if r.IntN(200) == 0 {
		return json.RawMessage(`{"born": "long ago"}`), json.RawMessage(`{}`)
	}
	kind, i, l := r.IntN(2), r.IntN(10), r.IntN(8)
	profile = fmt.Appendf(nil, `{"kind":"%d","born":%d,"place":{"lat":%d,"lon":%d},"languages":["%d","%d"],"interests":["%d","%d"]}`,
		kind, 1940+r.IntN(65), r.IntN(130)-60, r.IntN(360)-180, l, l+r.IntN(3), i, i+r.IntN(3))
	preferences = fmt.Appendf(nil, `{"kinds":["%d"],"age":{"min":18,"max":%d},"interests":{"%d":%d}}`,
		1-kind, 60+r.IntN(60), r.IntN(10), 1+r.IntN(10))
	return profile, preferences
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// The oracle knows nothing of the scheduler: it walks through a user's life by his
// own clock, and decides for each date whether he was owed a set. Within patience
// of a change, or while all is down, it accepts either.

// patience is the time that two schedulers may take: a period, twice, and some minutes.
const patience = 40 * time.Minute

// slow is how far a scheduler's clock may be behind: a user who appears at nine sharp may be
// seen before nine.
const slow = time.Minute

type verdict byte

const (
	never verdict = iota
	maybe
	always
)

// judge compares what became of all dates with what the users were owed.
func (s *simulation) judge() {
	for _, p := range s.people {
		owed := s.owed(p)
		for date := day.Of(s.start) - 2; date <= day.Of(s.end)+2; date++ {
			f, v := p.fate(date), owed[date]
			switch {
			case !f.ended:
				if v == always && (f.member || s.frozen[date].IsZero() || s.newcomer(p, date) == always) {
					s.broken("%s of %s is missing: %v", date, p.ID, p.life)
				}
			case v == never:
				s.broken("%s of %s was not a date of the user: %v", date, p.ID, p.life)
			case !f.skipped && !f.member && s.newcomer(p, date) == never:
				s.broken("%s of %s has a set, and the user is not in its roster", date, p.ID)
			}
		}
	}
}

// newcomer judges whether a user who isn't in the first roster of a date came before the date
// began where the user was.
func (s *simulation) newcomer(p *simPerson, date day.Date) (v verdict) {
	came := p.life[0].From
	if s.frozen[date].IsZero() || came.Before(s.frozen[date]) {
		return never
	}
	for i, c := range p.life {
		if y, m, d := date.Time().Date(); !came.Before(time.Date(y, m, d, 0, 0, 0, 0, zone(c.Zone))) {
			continue
		}
		v = max(v, maybe)
		if i == 0 && (len(p.life) == 1 || s.ready(nine(date, zone(c.Zone))).Before(p.life[1].From)) {
			v = always
		}
	}
	return v
}

// owed returns the verdicts on the dates of a life.
func (s *simulation) owed(p *simPerson) map[day.Date]verdict {
	all := map[day.Date]verdict{}
	var calendar map[day.Date]time.Time // since the user is active: when a date was due first, zero before
	var begun time.Time                 // of the dates that are due until then only the latest is owed
	for i, c := range p.life {
		until := s.end // no date is queued any more
		if i+1 < len(p.life) && p.life[i+1].From.Before(until) {
			until = p.life[i+1].From
		}
		switch {
		case !c.From.Before(s.end):
			return all
		case !c.Active:
			calendar = nil
			continue
		case calendar == nil:
			calendar, begun = map[day.Date]time.Time{}, s.ready(c.From)
		}
		zone := zone(c.Zone)
		from, last := day.Of(c.From.In(zone)), day.Of(until.Add(-1).In(zone))
		if c.From.Before(begun) { // the latest date that is due may be one that was not lived
			for _, now := range []time.Time{c.From, c.From.Add(-slow)} {
				latest := from
				if nine(from, zone).After(now) {
					latest--
				}
				all[latest] = max(all[latest], maybe)
			}
		}
		// A date that had begun, and was not due, counts when it comes again.
		maps.DeleteFunc(calendar, func(d day.Date, first time.Time) bool { return d > from && first.IsZero() })
		for d := from; d <= last; d++ {
			if _, ok := calendar[d]; !ok {
				calendar[d] = time.Time{}
			}
		}
		for d, first := range calendar {
			due := later(c.From, nine(d, zone))
			if due.After(until) { // at the same minute either may come first
				continue
			}
			if first.IsZero() {
				calendar[d], first = due, due
			}
			v := maybe
			if first.After(begun) && s.ready(due).Before(until) {
				v = always
			}
			all[d] = max(all[d], v)
		}
	}
	return all
}

// ready returns the time until when the schedulers have surely noticed a change.
func (s *simulation) ready(change time.Time) time.Time {
	for _, o := range s.outages {
		if change.Before(o[1]) && o[0].Before(change.Add(patience)) {
			change = o[1]
		}
	}
	return change.Add(patience)
}

// nine is nine in the morning as package time has it.
func nine(d day.Date, zone *time.Location) time.Time {
	y, m, n := d.Time().Date()
	return time.Date(y, m, n, 9, 0, 0, 0, zone)
}

// completed notes a set that was committed.
func (s *simulation) completed(set offer.Set) {
	f := s.byID[set.User].fate(set.Date)
	if f.committed {
		s.broken("a second set of %s for %s was committed", set.Date, set.User)
	}
	f.committed = true
	for _, o := range set.Offers { // many users answer more rarely, or rosters would be mostly answers
		if x := s.rand.IntN(max(300, len(s.people)/5)); x < len(roster.Answers()) {
			s.after(s.draw(2*aDay), func() { s.answer(set.User, o.Candidate, roster.Answers()[x]) })
		}
	}
}

// close examines a date of which nothing is under way any more, and forgets it.
func (s *simulation) close(date day.Date) {
	jobs, err := s.store.JobsOf(s.t.Context(), tenants[0], date)
	s.must(err)
	frozen, _ := s.store.Roster(s.t.Context(), tenants[0], date) // without one all were skipped
	shown, sets := map[uuid.UUID]int{}, map[uuid.UUID][]uuid.UUID{}
	index := s.index(frozen)
	for _, j := range jobs {
		s.examine(j)
		if j.Status == completed && !s.reproduced(j, frozen, index) {
			s.broken("the set of %s for %s is not that of its roster", date, j.User)
		}
		for i, o := range j.Offers {
			if o.Rank != i+1 || o.Candidate == j.User || slices.Contains(sets[j.User], o.Candidate) {
				s.broken("the set of %s for %s is malformed at rank %d", date, j.User, i+1)
			}
			s.checkAnswers(frozen, j.User, o.Candidate)
			for _, before := range s.recent {
				if !ranking.MeetsDaily(frozen.Algorithm, frozen.Users) && slices.Contains(before[j.User], o.Candidate) {
					s.broken("%s is offered %s on %s, and less than seven days before", j.User, o.Candidate, date)
				}
			}
			sets[j.User] = append(sets[j.User], o.Candidate)
			if j.Digest != frozen.Digest {
				continue // a newcomer's set comes in addition
			}
			if shown[o.Candidate]++; shown[o.Candidate] > ranking.Versions()[frozen.Algorithm-1].Exposure {
				s.broken("%s was shown %d times on %s", o.Candidate, shown[o.Candidate], date)
			}
		}
	}
	if s.recent = append(s.recent, sets); len(s.recent) == ranking.Versions()[0].Days {
		s.recent = s.recent[1:]
	}
	s.store.Forget(date)
}

// examine counts a job by its state.
func (s *simulation) examine(j offer.Record) {
	s.counts[j.Status]++
	f := s.byID[j.User].fate(j.Date)
	f.ended, f.skipped = true, j.Status == skipped
	late := j.CompletedAt.Sub(j.OfferedAt)
	switch {
	case (j.Status == completed) != f.committed:
		s.broken("%s of %s is %s, and that a set was committed is %t", j.Date, j.User, j.Status, f.committed)
	case j.Status == completed:
		if late > time.Hour {
			s.counts["late"]++
		}
	case j.Status == skipped && late > 36*time.Hour:
	case j.Status == failed && strings.Contains(j.Error, "unreadable"): // what the user wrote
	default:
		s.broken("%s of %s, due at %s, is %s since %s: %q", j.Date, j.User, j.OfferedAt, j.Status, j.CompletedAt, j.Error)
	}
}

// index returns the roster of a date, prepared for its sets; nil where they are not to be
// computed again.
func (s *simulation) index(frozen roster.Frozen) *ranking.Index {
	if frozen.Users == 0 || len(s.people) > 1000 && frozen.Date%10 > 0 {
		return nil
	}
	index, err := ranking.Read(frozen)
	s.must(err)
	return index
}

// reproduced reports whether a set is the one of the roster of its date, or of its job.
func (s *simulation) reproduced(j offer.Record, first roster.Frozen, index *ranking.Index) bool {
	if j.Digest == first.Digest {
		return index == nil || s.same(j, index)
	}
	s.counts["newcomers"]++
	own, err := s.store.RosterOf(s.t.Context(), j.Job)
	s.must(err)
	if index = s.index(own); index == nil {
		return own.Digest == j.Digest
	}
	return own.Digest == j.Digest && s.same(j, index)
}

// same reports whether a set is what its roster gives. A sample is explained, about 300 sets of
// a date, so that the explanations of a year show more than 10,000.
func (s *simulation) same(j offer.Record, index *ranking.Index) bool {
	s.counts["computed again"]++
	offers, err := index.Offers(j.User)
	if err == nil && binary.BigEndian.Uint32(j.User[:])%uint32(max(4, index.Users()/300)) == 0 {
		s.counts["explained"]++
		var e ranking.Explanation
		e, err = index.Explain(j.User)
		offers = e.Offers
	}
	return err == nil && bytes.Equal(must.Get(json.Marshal(offers))(s.t), must.Get(json.Marshal(j.Offers))(s.t))
}
