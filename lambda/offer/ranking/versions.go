package ranking

import "slices"

// Current is the version for new rosters.
const Current = 1

// Versions returns all algorithms, the oldest first.
func Versions() []Algorithm { return slices.Clone(versions) }

var versions = []Algorithm{
	{
		Version: 1, PerDay: 10, Days: 7, Exposure: 30,
		Filters: []Filter{
			{"itself", "to be another user", func(p *pair) bool { return p.from != p.to }, nil},
			{"kind", "one of the kinds that the user looks for", wantedKind, nil},
			{"age", "to be in the range of ages in the year of the date", wantedAge, nil},
			{"language", "one of the languages that the user looks for", wantedLanguage, nil},
			{"distance", "to be as near as the user wants, if both have a place", nearEnough, tooFar},
		},
		Terms: []Term{
			{"interests", "the weights of the interests that are shared", 1000, interests, mostInterests},
			{"reciprocity", "the same, seen by the candidate, half", 500, reciprocity, mostReciprocity},
			{"distance", "nearness, times the user's weight for it", 1000, distance, mostDistance},
			{"activity", "having been seen lately, times the user's weight for it", 500, activity, mostActivity},
		},
	},
}
