package offer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// simPerson is a user, and the simulation's record of the life.
type simPerson struct {
	offer.User
	life []chapter
}

// chapter is a part of a life, until the next one begins: a zone, or away.
type chapter struct {
	from   time.Time
	zone   string
	active bool
}

// What happens to a user on a day, as shares.
const (
	moves      = 0.05
	movesBack  = 0.2 // of the moves: back within a day
	crosses    = 0.5 // of the moves: over the date line
	leaves     = 0.001
	returns    = 0.02 // of the users who left
	changes    = 0.02 // the profile
	isSeen     = 0.05
	unreadable = 0.001 // of the profiles
	joins      = 0.0005
)

// Zones on both sides of the date line.
var (
	east = []string{"Pacific/Pago_Pago", "Pacific/Midway", "Pacific/Niue", "Pacific/Honolulu", "America/Adak", "Etc/GMT+12"}
	west = []string{"Pacific/Kiritimati", "Pacific/Apia", "Pacific/Tongatapu", "Pacific/Auckland", "Pacific/Chatham",
		"Etc/GMT-14"}
)

// join adds a user.
func (s *simulation) join() {
	p := &simPerson{User: offer.User{ID: uuid.NewSHA1(s.tenant, fmt.Appendf(nil, "%d user %d", s.Seed, len(s.people))),
		Tenant: s.tenant, Zone: pick(s.rand, day.Zones())}}
	s.numbers[p.ID] = len(s.people)
	s.people = append(s.people, p)
	p.Profile, p.Preferences = profile(s.rand)
	s.see(p)
	s.toggle(p)
}

// begin begins a chapter.
func (s *simulation) begin(p *simPerson) {
	p.life = append(p.life, chapter{s.now, p.Zone, p.Active})
	s.store.Put(p.User)
}

// plot plans what happens to all users on the day that begins.
func (s *simulation) plot() {
	for _, p := range s.people {
		at := s.now.Add(s.queue.draw(24 * time.Hour))
		switch x := s.rand.Float64(); {
		case !p.Active:
			if x < returns {
				s.at(at, func() { s.toggle(p) })
			}
		case x < moves:
			s.at(at, func() { s.travel(p) })
		case x < moves+leaves:
			s.at(at, func() { s.toggle(p) })
		case x < moves+leaves+changes:
			s.at(at, func() { s.edit(p) })
		case x < moves+leaves+changes+isSeen:
			s.at(at, func() { s.see(p); s.store.Put(p.User) })
		}
		if s.rand.Float64() < joins {
			s.after(s.queue.draw(24*time.Hour), s.join)
		}
	}
}

// travel moves a user, sometimes over the date line and sometimes back at once.
func (s *simulation) travel(p *simPerson) {
	home, to := p.Zone, pick(s.rand, day.Zones())
	if s.rand.Float64() < crosses {
		to = pick(s.rand, east)
		if slices.Contains(east, home) {
			to = pick(s.rand, west)
		}
	}
	if slices.Contains(east, home) && slices.Contains(west, to) { // just before midnight: over a whole date
		night := s.now.In(zone(home))
		night = time.Date(night.Year(), night.Month(), night.Day(), 23, 40, 0, 0, night.Location())
		s.at(later(s.now, night), func() { s.move(p, to) })
		return
	}
	s.move(p, to)
	if s.rand.Float64() < movesBack {
		s.after(s.queue.draw(24*time.Hour), func() { s.move(p, home) })
	}
}

func (s *simulation) move(p *simPerson, zone string) {
	s.count("moves", 1)
	p.Zone = zone
	s.begin(p)
}

// toggle lets a user leave or come back.
func (s *simulation) toggle(p *simPerson) {
	p.Active = !p.Active
	s.begin(p)
}

func (s *simulation) edit(p *simPerson) {
	p.Profile, p.Preferences = profile(s.rand)
	s.store.Put(p.User)
}

func (s *simulation) see(p *simPerson) {
	now := s.now
	p.ActiveAt = &now
}

// story is a life in short.
func (p *simPerson) story() string {
	var parts []string
	for _, c := range p.life {
		if !c.active {
			c.zone = "away"
		}
		parts = append(parts, c.from.Format("01-02T15:04Z ")+c.zone)
	}
	return strings.Join(parts, ", ")
}

func zone(name string) *time.Location {
	zone, err := day.Zone(name)
	if err != nil {
		panic(err) // the names are those of package day
	}
	return zone
}

var (
	languages = []string{"de", "en", "es", "fr", "hi", "pt", "sw", "zh"}
	interests = []string{"chess", "cooking", "go", "hiking", "law", "music", "physics", "piano", "sailing", "theatre"}
)

// profile draws a profile and preferences; some cannot be read.
func profile(r *rand.Rand) (profile, preferences json.RawMessage) {
	if r.Float64() < unreadable {
		return json.RawMessage(`{"born": "long ago"}`), json.RawMessage(`{}`)
	}
	kind, wanted := "mentor", "mentee"
	if r.IntN(2) == 0 {
		kind, wanted = wanted, kind
	}
	place := fmt.Sprintf(`{"lat":%d.%04d,"lon":%d.%04d}`, r.IntN(130)-60, r.IntN(10000), r.IntN(360)-180, r.IntN(10000))
	profile = fmt.Appendf(nil, `{"kind":%q,"born":%d,"place":%s,"languages":[%q,%q],"interests":[%q,%q]}`, kind,
		1940+r.IntN(65), place, pick(r, languages), pick(r, languages), pick(r, interests), pick(r, interests))
	preferences = fmt.Appendf(nil, `{"kinds":[%q],"age":{"min":18,"max":%d},"interests":{%q:%d}}`,
		wanted, 60+r.IntN(60), pick(r, interests), 1+r.IntN(10))
	return profile, preferences
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
