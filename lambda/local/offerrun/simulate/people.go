package simulate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"matchbook/lambda/offer/memory"

	"github.com/google/uuid"
)

// person is a user, and the simulation's own record of his life.
type person struct {
	id     uuid.UUID
	number int
	zone   string
	active bool
	life   []chapter
}

// chapter is a part of a life, until the next one begins: a zone, or away.
type chapter struct {
	from   time.Time
	zone   string
	active bool
}

// What happens to a user on a day, as shares.
const (
	moves     = 0.01
	movesBack = 0.2 // of those who move, within a day
	crosses   = 0.5 // of the moves: over the date line
	leaves    = 0.001
	returns   = 0.02 // of those who left
	changes   = 0.02 // the profile
	isSeen    = 0.05
	broken    = 0.001 // of the profiles
	joins     = 0.0005
)

// Zones on both sides of the date line.
var (
	east = []string{"Pacific/Pago_Pago", "Pacific/Midway", "Pacific/Niue", "Pacific/Honolulu", "America/Adak",
		"Etc/GMT+12"}
	west = []string{"Pacific/Kiritimati", "Pacific/Apia", "Pacific/Tongatapu", "Pacific/Auckland", "Pacific/Chatham",
		"Etc/GMT-14"}
)

// join adds a user.
func (s *simulation) join(zone string) {
	n := len(s.people)
	p := &person{number: n, zone: zone, active: true,
		id: uuid.NewSHA1(s.tenant, fmt.Appendf(nil, "%d user %d", s.Seed, n))}
	s.people = append(s.people, p)
	s.numbers[p.id] = n
	s.begin(p)
	profile, preferences := s.profile()
	s.store.Insert(memory.User{ID: p.id, Tenant: s.tenant, Zone: zone, Active: true,
		Profile: profile, Preferences: preferences, ActiveAt: s.now})
}

// begin records that a chapter begins.
func (s *simulation) begin(p *person) { p.life = append(p.life, chapter{s.now, p.zone, p.active}) }

// day plans what happens to all users on the day that begins.
func (s *simulation) day() {
	for _, p := range s.people {
		at := s.now.Add(s.queue.draw(24 * time.Hour))
		switch x := s.rand.Float64(); {
		case !p.active:
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
			s.at(at, func() { s.update(p, func(u *memory.User) { u.ActiveAt = s.now }) })
		}
	}
	for range s.people {
		if s.rand.Float64() < joins {
			s.after(s.queue.draw(24*time.Hour), func() { s.join(pick(s.rand, s.Zones)) })
		}
	}
}

func (s *simulation) update(p *person, change func(*memory.User)) {
	if err := s.store.Update(p.id, change); err != nil {
		s.broken("%v", err)
	}
}

// travel moves a user, sometimes over the date line and sometimes back at once.
func (s *simulation) travel(p *person) {
	home := p.zone
	to := pick(s.rand, s.Zones)
	if s.rand.Float64() < crosses {
		to = pick(s.rand, east)
		if slices.Contains(east, p.zone) {
			to = pick(s.rand, west)
		}
	}
	if slices.Contains(east, home) && slices.Contains(west, to) { // just before midnight: over a whole date
		night := s.now.In(s.zone(home))
		night = time.Date(night.Year(), night.Month(), night.Day(), 23, 40, 0, 0, night.Location())
		s.at(later(s.now, night), func() { s.move(p, to) })
		return
	}
	s.move(p, to)
	if s.rand.Float64() < movesBack {
		s.after(s.queue.draw(24*time.Hour), func() { s.move(p, home) })
	}
}

func (s *simulation) move(p *person, zone string) {
	s.Moves++
	p.zone = zone
	s.begin(p)
	s.update(p, func(u *memory.User) { u.Zone = zone })
}

// toggle lets a user leave or come back.
func (s *simulation) toggle(p *person) {
	p.active = !p.active
	s.begin(p)
	s.update(p, func(u *memory.User) { u.Active = p.active })
}

func (s *simulation) edit(p *person) {
	profile, preferences := s.profile()
	s.update(p, func(u *memory.User) { u.Profile, u.Preferences = profile, preferences })
}

var (
	languages = []string{"de", "en", "es", "fr", "hi", "pt", "sw", "zh"}
	interests = []string{"chess", "cooking", "go", "hiking", "law", "music", "physics", "piano", "sailing", "theatre"}
)

// profile draws a profile and preferences; some cannot be read.
func (s *simulation) profile() (profile, preferences json.RawMessage) {
	r := s.rand
	if r.Float64() < broken {
		return json.RawMessage(`{"born": "long ago"}`), json.RawMessage(`{}`)
	}
	kind, wanted := "mentor", "mentee"
	if r.IntN(2) == 0 {
		kind, wanted = wanted, kind
	}
	born := 1940 + r.IntN(65)
	place := fmt.Sprintf(`{"lat":%d.%04d,"lon":%d.%04d}`, r.IntN(130)-60, r.IntN(10000), r.IntN(360)-180, r.IntN(10000))
	profile = fmt.Appendf(nil, `{"kind":%q,"born":%d,"place":%s,"languages":[%q,%q],"interests":[%q,%q]}`, kind, born, place,
		pick(r, languages), pick(r, languages), pick(r, interests), pick(r, interests))
	preferences = fmt.Appendf(nil, `{"kinds":[%q],"age":{"min":18,"max":%d},"interests":{%q:%d}}`,
		wanted, 60+r.IntN(60), pick(r, interests), 1+r.IntN(10))
	return profile, preferences
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
