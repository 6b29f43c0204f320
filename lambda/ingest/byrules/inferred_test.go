package byrules

import (
	"strings"
	"testing"
)

// A table whose heads are unknown words is read by what its columns make: quantity x price is the amount.
func TestHeadsAreInferred(t *testing.T) {
	t.Parallel()
	const unread = ": rows with amounts were not read as lines"
	const title, head = "#Rechnung Nr. 7\n", "Nr     Wasistes                     Wieviel      Wieteuer         Macht\n"
	const chairs = "120    Stühle                           4,00        15,00         60,00\n"
	const sofa = "131    Sofa                             2,00        40,00         80,00\n"
	const cheaper = "132    Tisch           mit Nachlass     3,00        50,00        145,00\n"
	const sum = "                                       Summe netto            285,00\n"
	const less = "                                       Summe netto            140,00\n"
	for name, test := range map[string][2]string{
		"two lines":              {title + head + chairs + sofa + less, "4 15 60 Stühle; 2 40 80 Sofa"},
		"a line with a discount": {title + head + chairs + sofa + cheaper + sum, "4 15 60 Stühle; 2 40 80 Sofa; 3 50 145 Tisch"},
		"the first of them":      {title + head + cheaper + chairs + sofa + sum, "3 50 145 Tisch; 4 15 60 Stühle; 2 40 80 Sofa"},
		"on two pages":           {title + head + chairs + cheaper + "\n-----\n" + head + sofa + sum, "4 15 60 Stühle; 3 50 145 Tisch; 2 40 80 Sofa"},
		"one product only":       {title + head + chairs + sofa[:len(sofa)-6] + "81,00\n" + strings.Replace(less, "140", "141", 1), unread},
		"without a head":         {title + chairs + sofa + less, unread},
		"without a sum":          {title + head + chairs + sofa, unread},
		"ones":                   {title + head + strings.NewReplacer("4,00 ", "1,00 ", "15,00", "60,00").Replace(chairs) + strings.NewReplacer("2,00 ", "1,00 ", "40,00", "80,00").Replace(sofa) + less, unread},
	} {
		if got := linesIn(test[0]); got != test[1] {
			t.Errorf("%s: got %q, want %q", name, got, test[1])
		}
	}
}
