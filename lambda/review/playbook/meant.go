package playbook

// meant returns the proposal of an error about an unknown word: the one that
// differs in two letters at most. It is empty where there is none.
func meant(word string, known []string) string {
	const near = 2
	best, proposal := near+1, ""
	if len(word) > maxWord {
		return ""
	}
	for _, k := range known {
		if d := distance(word, k); d < best {
			best, proposal = d, k
		}
	}
	if proposal == "" {
		return ""
	}
	return ": did you mean " + proposal + "?"
}

// distance is the number of letters to insert, delete, replace or swap with the
// next, until a is b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
