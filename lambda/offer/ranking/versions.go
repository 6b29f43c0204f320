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
			{"itself", "to be somebody else", func(p *pair) bool { return p.from != p.to }, nil},
			{"kind", "to be of a kind that the other looks for", wantedKind, nil},
			{"age", "to be, in the year of the date, of an age that the other looks for", wantedAge, nil},
			{"language", "to have a language that the other looks for", wantedLanguage, nil},
			{"distance", "to be as near as the other wants, if both have a place", nearEnough, tooFar},
		},
		Terms: []Term{
			{"interests", "the weights of the interests that are shared", 1000, interests, mostInterests},
			{"reciprocity", "the same, seen by the candidate, half", 500, reciprocity, mostReciprocity},
			{"distance", "nearness, times the user's weight for it", 1000, distance, mostDistance},
			{"activity", "having been seen lately, times the user's weight for it", 500, activity, mostActivity},
		},
	},
}
