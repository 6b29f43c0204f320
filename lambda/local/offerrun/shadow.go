package offerrun

import (
	"context"
	"fmt"
	"hash/crc32"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// ShadowOptions are the options of a shadow run.
type ShadowOptions struct {
	Date    day.Date
	Tenant  *uuid.UUID // nil: all
	Version int        // of the ranking
	Share   float64    // of the users, by a hash of the id
}

// Shadow compares the stored sets of a date with the ones of another version of the ranking, from
// the same rosters.
type Shadow struct {
	Date    day.Date         `json:"date"`
	Version int              `json:"version"`
	Share   float64          `json:"share"`
	Tenants []ShadowedTenant `json:"tenants"`
}

// ShadowedTenant counts the completed sets of the chosen users.
type ShadowedTenant struct {
	Tenant     uuid.UUID  `json:"tenant_id"`
	Stored     int        `json:"stored_version"` // of the ranking
	Sets       int        `json:"sets"`
	Equal      int        `json:"equal_sets"` // the same offers in the same order
	Offers     SideBySide `json:"offers"`
	Empty      SideBySide `json:"empty_sets"`
	Same       int        `json:"same_offers"` // made by both
	Unreadable int        `json:"unreadable"`  // users with a set that the other version can't read
	OwnRoster  int        `json:"own_roster"`  // sets left out, of newcomers and corrected jobs
}

// SideBySide is a count of the stored sets and of the other version's.
type SideBySide struct {
	Stored int `json:"stored"`
	Shadow int `json:"shadow"`
}

// Run composes sets in memory. Nothing is stored or sent.
func (o ShadowOptions) Run(ctx context.Context, db *postgres.DB) (*Shadow, error) {
	s := &Shadow{Date: o.Date, Version: o.Version, Share: o.Share, Tenants: []ShadowedTenant{}}
	tenants, err := report.From(db).OfferTenants(ctx, o.Date, o.Tenant)
	if err != nil {
		return nil, err
	}
	for _, tenant := range tenants {
		t, err := o.tenant(ctx, offers.New(db), tenant)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenant, err)
		}
		s.Tenants = append(s.Tenants, t)
	}
	return s, nil
}

func (o ShadowOptions) tenant(ctx context.Context, offers *offers.Store, tenant uuid.UUID) (t ShadowedTenant, err error) {
	frozen, err := offers.Roster(ctx, tenant, o.Date)
	if err != nil {
		return t, err
	}
	content, err := frozen.Thaw()
	if err != nil {
		return t, err
	}
	if content.Settings == nil { // of an older version
		content.Settings = new(roster.Usual())
	}
	content.Algorithm = o.Version
	x, err := ranking.New(content)
	if err != nil {
		return t, err
	}
	jobs, err := offers.JobsOf(ctx, tenant, o.Date)
	if err != nil {
		return t, err
	}
	t.Tenant, t.Stored = tenant, frozen.Algorithm
	for _, j := range jobs {
		switch {
		case j.Status != "completed" || !o.chosen(j.User):
		case j.Digest != frozen.Digest:
			t.OwnRoster++
		default:
			if err := t.compare(x, j); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// chosen reports whether a user is in the share, whatever the date.
func (o ShadowOptions) chosen(user uuid.UUID) bool {
	return float64(crc32.ChecksumIEEE(user[:])) < o.Share*(1<<32)
}

func (t *ShadowedTenant) compare(x *ranking.Index, j offer.Record) error {
	shadow, err := x.Offers(j.User)
	if err != nil && failure.Of(err).Kind != failure.Permanent {
		return err
	}
	t.Sets++
	t.Offers.Stored += len(j.Offers)
	t.Offers.Shadow += len(shadow)
	t.Empty.Stored += none(j.Offers)
	t.Empty.Shadow += none(shadow)
	if err != nil {
		t.Unreadable++
	}
	ranks, equal := map[uuid.UUID]int{}, len(shadow) == len(j.Offers)
	for _, s := range shadow {
		ranks[s.Candidate] = s.Rank
	}
	for _, s := range j.Offers {
		if ranks[s.Candidate] > 0 {
			t.Same++
		}
		equal = equal && ranks[s.Candidate] == s.Rank
	}
	if equal {
		t.Equal++
	}
	return nil
}

func none(offers []ranking.Offer) int {
	if len(offers) == 0 {
		return 1
	}
	return 0
}

// Succeeded reports whether the other version can read each user who has a set.
func (s *Shadow) Succeeded() bool {
	for _, t := range s.Tenants {
		if t.Unreadable > 0 {
			return false
		}
	}
	return true
}

// Text returns the comparison for people.
func (s *Shadow) Text() string {
	var p term.Page
	p.Line("SHADOW of %s by version %d, for %g %% of the users; nothing is stored", s.Date, s.Version, 100*s.Share)
	if len(s.Tenants) == 0 {
		p.Line("  no roster of this date")
	}
	for _, t := range s.Tenants {
		p.Line("TENANT %s, %s", t.Tenant, plural.Of(t.Sets, "set", "sets"))
		p.Line("  version %d (stored): %s, %d empty", t.Stored, plural.Of(t.Offers.Stored, "offer", "offers"), t.Empty.Stored)
		p.Line("  version %d (shadow): %s, %d empty, %s", s.Version, plural.Of(t.Offers.Shadow, "offer", "offers"), t.Empty.Shadow,
			plural.Of(t.Unreadable, "user unreadable", "users unreadable"))
		p.Line("  %d of %d offers are made by both; %d of %d sets are equal", t.Same, t.Offers.Stored, t.Equal, t.Sets)
		if t.OwnRoster > 0 {
			p.Line("  left out: %s of newcomers or corrected jobs", plural.Of(t.OwnRoster, "set", "sets"))
		}
	}
	return p.String()
}
