package rules

import (
	"slices"
	"testing"

	"matchbook/lambda/match/score"
)

// said are so many answers about pairs of so many points.
func said(points, confirmed, rejected int) (list []Said) {
	for i := range confirmed + rejected {
		list = append(list, Said{points, i < confirmed})
	}
	return list
}

// Answers make the rules stricter, never less strict, and only many of them do. The corpora's 199
// of 200 count as well: with 1 more rejected Wilson's lower bound is .970, with 2 it is .963.
func TestBoundsOfAnswers(t *testing.T) {
	t.Parallel()
	const high, open, match = score.HighAt, score.SuggestAt, score.MatchAt
	for name, tc := range map[string]struct {
		answers          [][]Said
		high, questionAt int
	}{
		"none":                          {nil, 0, 0},
		"too few":                       {[][]Said{said(match, 47, 0), said(high+4, 0, 2)}, 0, 0},
		"all confirmed":                 {[][]Said{said(high+4, 60, 0)}, 0, 0},
		"all rejected":                  {[][]Said{said(high+4, 0, 60), said(open+1, 0, 60)}, 0, 0},
		"one wrong":                     {[][]Said{said(match, 49, 0), said(high+4, 0, 1)}, 0, 0},
		"two wrong":                     {[][]Said{said(match, 48, 0), said(high+4, 0, 1), said(high+10, 0, 1)}, high + 5, 0},
		"two wrong of equal points":     {[][]Said{said(match, 48, 0), said(high+4, 0, 2)}, high + 5, 0},
		"wrong below high":              {[][]Said{said(match, 48, 0), said(high-1, 0, 9)}, 0, 0},
		"3 of 103 wrong":                {[][]Said{said(high+20, 100, 3)}, 0, 0},
		"4 of 104 wrong":                {[][]Said{said(high+20, 100, 4)}, high + 21, 0},
		"right above the wrong":         {[][]Said{said(high+20, 100, 0), said(high+4, 0, 4)}, high + 5, 0},
		"no true question so low":       {[][]Said{said(open+10, 30, 0), said(open+2, 0, 25)}, 0, open + 3},
		"too few rejected questions":    {[][]Said{said(open+10, 30, 0), said(open+2, 0, 24)}, 0, 0},
		"a true question below":         {[][]Said{said(match, 30, 0), said(open+1, 1, 0), said(open+2, 0, 25)}, 0, 0},
		"a true question of as many":    {[][]Said{said(match, 30, 0), said(open+6, 1, 5), said(open+2, 0, 24)}, 0, 0},
		"a true one among them":         {[][]Said{said(match, 30, 0), said(open+6, 1, 5), said(open+2, 0, 25)}, 0, open + 3},
		"rejected, but never asked":     {[][]Said{said(match, 30, 0), said(open-1, 0, 60)}, 0, 0},
		"confirmed, but never asked":    {[][]Said{said(open-1, 30, 0), said(open, 0, 25)}, 0, open + 1},
		"matches stay no questions":     {[][]Said{said(high+1, 60, 0), said(match, 0, 60)}, 0, 0},
		"a question never is a match's": {[][]Said{said(high+1, 60, 0), said(match-1, 0, 25)}, 0, match},
	} {
		answers := slices.Concat(tc.answers...)
		for range 2 {
			b := BoundsOf(answers)
			if b.HighAt != tc.high || b.QuestionAt != tc.questionAt || b.Confirmed+b.Rejected != len(answers) {
				t.Errorf("%s: got %+v; want high from %d, questions from %d", name, b, tc.high, tc.questionAt)
			}
			slices.Reverse(answers)
		}
	}
}
