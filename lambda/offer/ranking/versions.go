package ranking

import (
	"slices"

	"matchbook/lambda/offer/roster"
)

// Current is the version for new rosters.
const Current = 4

// Versions returns all algorithms, the oldest first.
func Versions() []Algorithm { return slices.Clone(versions) }

var versions = []Algorithm{
	{
		Version: 1, PerDay: 10, Days: 7, Part: 4000, Exposure: 30,
		Filters: []Filter{self, kind, age, language, near},
		Terms:   []Term{sharedInterests, sharedWishes, nearness, activeLately},
		// Admits must not use activity, because it is the same for all candidates: all would
		// admit the same few.
		Admits: []Term{sharedInterests, sharedWishes, nearness},
	},
	// An example with one more term.
	{
		Version: 2, PerDay: 10, Days: 7, Part: 4000, Exposure: 30,
		Filters: []Filter{self, kind, age, language, near},
		Terms:   []Term{sharedInterests, sharedWishes, nearness, activeLately, commonLanguage},
		Admits:  []Term{sharedInterests, sharedWishes, nearness, commonLanguage},
	},
	// Like 1, but a misspelt wish shuts the user out. Before, it was no limit.
	{
		Version: 3, PerDay: 10, Days: 7, Part: 4000, Exposure: 30, Reading: roster.Strict,
		Filters: []Filter{self, kind, age, language, near},
		Terms:   []Term{sharedInterests, sharedWishes, nearness, activeLately},
		Admits:  []Term{sharedInterests, sharedWishes, nearness},
	},
	// With a memory and settings: others come before a candidate that was offered lately,
	// answers count, and no set is short while a candidate has room.
	{
		Version: 4, PerDay: 10, Days: 7, Part: 4000, Exposure: 30, Reading: roster.Canonical,
		Settles: true, Small: 150, Recent: 28,
		Filters: []Filter{self, block, rest, minimumAge, capacity, kind, age, language, near},
		Terms:   []Term{sharedInterests, sharedWishes, nearness, activeLately, ownAnswers, othersAnswers},
		// Nor must Admits use others' answers.
		Admits: []Term{sharedInterests, sharedWishes, nearness, ownAnswers},
	},
}

var (
	self       = Filter{"itself", "to be another user", func(p pair) bool { return p.from != p.to }, nil, nil, true}
	kind       = Filter{"kind", "to be a kind of user the other looks for", wantedKind, nil, nil, false}
	age        = Filter{"age", "to have an age the other looks for, in the year of the date", wantedAge, ageAndLimits, nil, false}
	language   = Filter{"language", "to have a language the other looks for", wantedLanguage, nil, nil, false}
	block      = Filter{"blocked", "not to have blocked or reported the other, nor the other way round", unblocked, nil, nil, true}
	rest       = Filter{"rest", "not to have answered, or been answered, lately", rested, restUntil, nil, true}
	minimumAge = Filter{"minimum age", "to have the tenant's minimum age, in the year of the date", grownUp, ageAndMinimum, nil, false}
	capacity   = Filter{"capacity", "to have room for another match", hasRoom, matchesAndCapacity, nil, false}
	near       = Filter{"distance", "to be as near as the other wants, if both have a place", nearEnough, kilometres, tooFar, false}
)

var (
	sharedInterests = Term{"interests", "the weights of shared interests", 1000, interests, mostInterests}
	sharedWishes    = Term{"reciprocity", "half of the same, seen by the candidate", 500, reciprocity, mostReciprocity}
	nearness        = Term{"distance", "nearness, times the user's weight for it", 1000, distance, mostDistance}
	commonLanguage  = Term{"language", "a shared language", 200, languages, mostLanguages}
	ownAnswers      = Term{"answer", "the user's answer to an earlier offer", 0, past, mostPast}
	othersAnswers   = Term{"welcome", "the answers of others", mostWelcome, standing, mostStanding}
	activeLately    = Term{"activity", "the last days seen, times the user's weight for it", 500, activity, mostActivity}
)
