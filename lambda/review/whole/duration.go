package whole

import (
	"strconv"
	"strings"

	"matchbook/lambda/internal/lazy"
)

var numbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fourteen": 14, "fifteen": 15, "eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40,
	"forty-five": 45, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
	"ein": 1, "eine": 1, "einem": 1, "einen": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
	"sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12, "vierzehn": 14, "achtzehn": 18, "zwanzig": 20,
	"vierundzwanzig": 24, "dreißig": 30, "sechsunddreißig": 36, "sechzig": 60, "neunzig": 90,
}

// units are lengths in days. A month is a twelfth of a year.
var units = map[string]float64{
	"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 30.42, "months": 30.42, "year": 365, "years": 365,
	"tag": 1, "tage": 1, "tagen": 1, "woche": 7, "wochen": 7, "monat": 30.42, "monate": 30.42, "monaten": 30.42,
	"jahr": 365, "jahre": 365, "jahren": 365,
}

// period matches a duration: a number, in words or digits, and a unit. It has three groups.
const period = `((?:[a-zäöüß]+[ -]){0,5})(?:\(?(\d{1,4})\)? )?(?:full |calendar |weitere[nrs]? |weitere )?` +
	`(days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?)\b`

var spaces = lazy.Regexp(`[ -]+`)

// days reads the groups of a period. It returns 0 if they hold none.
func days(words, digits, unit string) float64 {
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = wordsToNumber(words)
	}
	return float64(n) * units[unit]
}

// wordsToNumber reads the numeral at the end of the words.
func wordsToNumber(words string) (n int) {
	list := spaces().Split(strings.TrimSpace(words), -1)
	scale := 1
	for i := len(list) - 1; i >= 0; i-- {
		value, ok := numbers[list[i]]
		switch {
		case list[i] == "and", strings.HasPrefix(list[i], "weitere"), list[i] == "further":
		case !ok:
			return n
		case value == 100:
			scale = 100
			if i == 0 || numbers[list[i-1]] == 0 {
				return n + 100
			}
		default:
			n += value * scale
		}
	}
	return n
}

// differ allows for units, since three months are ninety days.
func differ(a, b float64) bool { return max(a, b) > 1.1*min(a, b) }
