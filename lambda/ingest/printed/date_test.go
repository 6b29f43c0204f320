package printed

import (
	"strings"
	"testing"
)

func TestDateNotations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-04":                  "2026-03-04",
		"2026/03/04":                  "2026-03-04",
		"04.03.2026":                  "2026-03-04",
		"4.3.26":                      "2026-03-04",
		"03/04/2026":                  "2026-04-03|2026-03-04", // both
		"13/04/2026":                  "2026-04-13",
		"04/13/2026":                  "2026-04-13",
		"05/05/2026":                  "2026-05-05",
		"31/04/2026":                  "", // no such day
		"4 March 2026":                "2026-03-04",
		"March 4, 2026":               "2026-03-04",
		"Jan 1, 2022":                 "2022-01-01",
		"4th of March 2026":           "2026-03-04",
		"04-Mar-2026":                 "2026-03-04",
		"4. März 2026":                "2026-03-04",
		"1er juin 2026":               "2026-06-01",
		"4 juillet 2026":              "2026-07-04",
		"4 août 2026":                 "2026-08-04",
		"15 febbraio 2026":            "2026-02-15",
		"15 de enero de 2026":         "2026-01-15",
		"15 maggio 2026":              "2026-05-15",
		"Rechnung vom 05.06.2018.":    "2018-06-05",
		"12 pieces 2026":              "",
		"Version 1.2.3456":            "",
		"Tel. 01/23/4567":             "",
		"Screw 3/8-16":                "", // inches and threads
		"04.03.2026 bis 05.03.2026":   "2026-03-04 2026-03-05",
		"IP 10.10.10.10 at 11:12":     "2010-10-10", // indistinguishable from a date; nothing labels it
		"valid from 2026-03-04 on 9x": "2026-03-04",
	} {
		var got []string
		for _, d := range Dates(text) {
			var readings []string
			for _, v := range d.Readings {
				readings = append(readings, v.String())
			}
			got = append(got, strings.Join(readings, "|"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestDayFirst(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"13/04/2026": {true, true}, "04/13/2026": {false, true}, "03/04/2026": {false, false}, "4 March 2026": {false, false},
	} {
		if first, known := Dates(text)[0].DayFirst(); [2]bool{first, known} != want {
			t.Errorf("%q: got %v, %v", text, first, known)
		}
	}
}
