package ranking

import (
	"slices"

	"matchbook/lambda/offer/roster"
)

// Current is the version for new rosters.
const Current = 3

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
}

var (
	self     = Filter{"itself", "to be another user", func(p pair) bool { return p.from != p.to }, nil, nil}
	kind     = Filter{"kind", "to be a kind of user the other looks for", wantedKind, nil, nil}
	age      = Filter{"age", "to have an age the other looks for, in the year of the date", wantedAge, ageAndLimits, nil}
	language = Filter{"language", "to have a language the other looks for", wantedLanguage, nil, nil}
	near     = Filter{"distance", "to be as near as the other wants, if both have a place", nearEnough, kilometres, tooFar}
)

var (
	sharedInterests = Term{"interests", "the weights of shared interests", 1000, interests, mostInterests}
	sharedWishes    = Term{"reciprocity", "half of the same, seen by the candidate", 500, reciprocity, mostReciprocity}
	nearness        = Term{"distance", "nearness, times the user's weight for it", 1000, distance, mostDistance}
	commonLanguage  = Term{"language", "a shared language", 200, languages, mostLanguages}
	activeLately    = Term{"activity", "the last days seen, times the user's weight for it", 500, activity, mostActivity}
)
