package ranking

// Numbers of the terms of version 1.
const (
	allInterests = 1000
	usualReach   = 100_000 // metres, of a user without a limit
	perWeight    = 100     // points of distance for each unit of its weight
	lately       = 30      // days
	perActivity  = 50
	oneLanguage  = 200 // version 2
)

// interests returns the share of the weights covered by the candidate's interests, in
// thousandths.
func interests(p pair) int {
	w := &p.from.wants
	if w.total == 0 {
		return 0
	}
	return allInterests * shared(w.interests, p.to.interests) / w.total
}

func mostInterests(from *user, _ bounds) int {
	if from.wants.total == 0 {
		return 0
	}
	return allInterests
}

// shared sums up the weights of shared names. Both lists must be sorted by name.
func shared(weights []weight, names []name) (sum int) {
	for len(weights) > 0 && len(names) > 0 {
		switch w, n := weights[0], names[0]; {
		case w.name < n:
			weights = weights[1:]
		case w.name > n:
			names = names[1:]
		default:
			sum += int(w.weight)
			weights, names = weights[1:], names[1:]
		}
	}
	return sum
}

func reciprocity(p pair) int { return interests(p.turned()) / 2 }

func mostReciprocity(from *user, _ bounds) int {
	if len(from.interests) == 0 {
		return 0
	}
	return allInterests / 2
}

// distance falls from full points at the same place to 0 at the user's limit.
func distance(p pair) int { return mostDistance(p.from, bounds{metres: p.metres}) }

func mostDistance(from *user, in bounds) int {
	reach := from.wants.metres
	if reach == 0 {
		reach = usualReach
	}
	if in.metres == noDistance || in.metres >= reach {
		return 0
	}
	return from.wants.distance * int(perWeight*(reach-in.metres)/reach)
}

// activity falls from full points today to 0 after a month.
func activity(p pair) int { return mostActivity(p.from, bounds{idle: p.to.idle}) }

func mostActivity(from *user, in bounds) int {
	return from.wants.activity * perActivity * max(0, lately-in.idle) / lately
}

func languages(p pair) int {
	if common(p.from.languages, p.to.languages) {
		return oneLanguage
	}
	return 0
}

func mostLanguages(*user, bounds) int { return oneLanguage }
