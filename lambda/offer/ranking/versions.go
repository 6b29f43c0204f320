package ranking

import "slices"

// Current is the version for new rosters.
const Current = 1

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
	// The next version, for rosters frozen once it is Current.
	{
		Version: 2, PerDay: 10, Days: 7, Part: 4000, Exposure: 30,
		Filters: []Filter{self, kind, age, language, near},
		Terms:   []Term{sharedInterests, sharedWishes, nearness, activeLately, commonLanguage},
		Admits:  []Term{sharedInterests, sharedWishes, nearness, commonLanguage},
	},
}

var (
	self     = Filter{"itself", "to be another user", func(p pair) bool { return p.from != p.to }, nil}
	kind     = Filter{"kind", "to be a kind of user the other looks for", wantedKind, nil}
	age      = Filter{"age", "to have an age the other looks for, in the year of the date", wantedAge, nil}
	language = Filter{"language", "to have a language the other looks for", wantedLanguage, nil}
	near     = Filter{"distance", "to be as near as the other wants, if both have a place", nearEnough, tooFar}
)

var (
	sharedInterests = Term{"interests", "the weights of shared interests", 1000, interests, mostInterests}
	sharedWishes    = Term{"reciprocity", "half of the same, seen by the candidate", 500, reciprocity, mostReciprocity}
	nearness        = Term{"distance", "nearness, times the user's weight for it", 1000, distance, mostDistance}
	commonLanguage  = Term{"language", "a shared language", 200, languages, mostLanguages}
	activeLately    = Term{"activity", "the last days seen, times the user's weight for it", 500, activity, mostActivity}
)
