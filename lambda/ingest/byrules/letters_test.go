package byrules

import "testing"

// The lines of a letter: amounts above each other, with words to their left, that add up to the sum below them.
func TestLinesOfLetters(t *testing.T) {
	t.Parallel()
	const title = "#Rechnung Nr. 7\n"
	const chairs, sofa = "4 Stühle bezogen                  60,00\n", "1 Sofa                            40,00\n"
	const sum = "Zusammen                         100,00\n"
	for name, test := range map[string][2]string{
		"two lines":                   {title + chairs + sofa + sum, "60 4 Stühle bezogen; 40 1 Sofa"},
		"a line above that is none's": {title + "Pauschale                         10,00\n" + chairs + sofa + sum, "60 4 Stühle bezogen; 40 1 Sofa"},
		"one line":                    {title + "4 Stühle bezogen                 100,00\n" + sum, ""},
		"lines that don't add up":     {title + chairs + "1 Sofa                            41,00\n" + sum, ""},
		"another edge":                {title + "4 Stühle bezogen           60,00\n" + sofa + sum, ""},
		"a column of the currency":    {title + "4 Stühle bezogen           €      60,00\n1 Sofa                     €      40,00\nZusammen                   €     100,00\n", "60 4 Stühle bezogen; 40 1 Sofa"},
		"a sign and no words":         {title + "                           €      60,00\n1 Sofa                     €      40,00\nZusammen                   €     100,00\n", ""},
		"an amount alone":             {title + "                                  60,00\n" + sofa + sum, ""},
		"a number alone":              {title + "4711                              60,00\n" + sofa + sum, ""},
		"a label between":             {title + "Netto                             60,00\n" + sofa + sum, ""},
		"on another page":             {title + chairs + "\n-----\nRechnung Nr. 7\n" + sofa + sum, ""},
		"with a net and a tax":        {title + chairs + sofa + "Netto                            100,00\nMwSt 19 %                         19,00\nSumme                            119,00\n", "60 4 Stühle bezogen; 40 1 Sofa"},
		"below a head":                {title + "Leistung             Menge       Betrag\n4 Stühle bezogen                  60,00\nSumme                             60,00\n", "60 4 Stühle bezogen"},
		"two amounts in a cell":       {title + "4 Stühle bezogen                  15,00 60,00\n" + "1 Sofa                            40,00 40,00\n" + "Zusammen                         100,00 100,00\n", "60 4 Stühle bezogen; 40 1 Sofa"},
	} {
		if got := linesIn(test[0]); got != test[1] {
			t.Errorf("%s: got %q, want %q", name, got, test[1])
		}
	}
}
