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
		// Activity is the same, whichever candidate sees the user: all would admit the same few.
		Admits: []Term{sharedInterests, sharedWishes, nearness},
	},
	// The next one, for rosters that are frozen once it is Current.
	{
		Version: 2, PerDay: 10, Days: 7, Part: 4000, Exposure: 30,
		Filters: []Filter{self, kind, age, language, near},
		Terms:   []Term{sharedInterests, sharedWishes, nearness, activeLately, commonLanguage},
		Admits:  []Term{sharedInterests, sharedWishes, nearness, commonLanguage},
	},
}

var (
	self     = Filter{"itself", "to be somebody else", func(p pair) bool { return p.from != p.to }, nil}
	kind     = Filter{"kind", "to be of a kind that the other looks for", wantedKind, nil}
	age      = Filter{"age", "to be, in the year of the date, of an age that the other looks for", wantedAge, nil}
	language = Filter{"language", "to have a language that the other looks for", wantedLanguage, nil}
	near     = Filter{"distance", "to be as near as the other wants, if both have a place", nearEnough, tooFar}
)

var (
	sharedInterests = Term{"interests", "the weights of the interests that are shared", 1000, interests, mostInterests}
	sharedWishes    = Term{"reciprocity", "the same, seen by the candidate, half", 500, reciprocity, mostReciprocity}
	nearness        = Term{"distance", "nearness, times the user's weight for it", 1000, distance, mostDistance}
	commonLanguage  = Term{"language", "a language that both have", 200, languages, mostLanguages}
	activeLately    = Term{"activity", "the last days seen, times the user's weight for it", 500, activity, mostActivity}
)
