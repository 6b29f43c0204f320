package docx

import (
	"strconv"
	"strings"
)

// format writes a number in a format of lists. Formats of other scripts are written in digits.
func format(n int, as string) string {
	switch as {
	case "none":
		return ""
	case "decimalZero":
		return padded(n, "01")
	case "upperRoman":
		return roman(n)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperLetter":
		return letters(n)
	case "lowerLetter":
		return strings.ToLower(letters(n))
	case "ordinal":
		return strconv.Itoa(n) + ordinal(n)
	case "cardinalText":
		return words(n, cardinals)
	case "ordinalText":
		return words(n, ordinals)
	}
	return strconv.Itoa(n)
}

// padded writes a number with the zeros of the first number in a pattern such as "001, 002".
func padded(n int, pattern string) string {
	first, _, _ := strings.Cut(pattern, ",")
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, min(len(first), 10)-len(s))) + s
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, r := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"},
		{5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= r.value; n -= r.value {
			b.WriteString(r.text)
		}
	}
	return b.String()
}

// letters counts A to Z, then AA, BB and so on, as Word does.
func letters(n int) string {
	if n < 1 || n > 780 { // Word's last is 30 times Z
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1)
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
		return "th"
	case n%10 == 1:
		return "st"
	case n%10 == 2:
		return "nd"
	case n%10 == 3:
		return "rd"
	}
	return "th"
}

// Words of numbers from 0, for lists such as "Article One".
var (
	cardinals = strings.Fields("Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen " +
		"Sixteen Seventeen Eighteen Nineteen Twenty")
	ordinals = strings.Fields("Zeroth First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth " +
		"Thirteenth Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth Twentieth")
	tens = strings.Fields("Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety")
)

func words(n int, names []string) string {
	switch {
	case n < len(names):
		return names[n]
	case n > 99:
		return strconv.Itoa(n)
	}
	ten := tens[n/10-2]
	if n%10 > 0 {
		return ten + "-" + strings.ToLower(names[n%10])
	}
	if names[1] == "First" {
		return strings.TrimSuffix(ten, "y") + "ieth"
	}
	return ten
}
