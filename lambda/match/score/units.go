package score

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"matchbook/lambda/internal/lazy"
)

// unit is a unit of quantity as a multiple of a plain one. A dozen is 12 pieces, a "box 50" 50
// pieces, a "bag 25 kg" 25 kg. An empty word means no unit.
type unit struct {
	of     string // the plain unit, "pc" for pieces; an unknown word stands for itself
	factor float64
}

// maxPack bounds the pieces of a pack. A larger number in a unit is an article number.
const maxPack = 100_000

// parseUnit reads a unit: numbers multiply ("6 x 0,5 l"), and the last known word is the plain
// unit. An unknown word stands for itself; before a number it is a container of so many pieces.
func parseUnit(text string) unit {
	if u, ok := plainUnits()[text]; ok { // most often
		return u
	}
	if text == "" || len(text) > maxUnit {
		return unit{"", 1}
	}
	factor, counted, known, last := 1.0, false, unit{}, ""
	for _, token := range strings.FieldsFunc(fold(text), func(r rune) bool { return !partOfUnit(r) }) {
		parts := []string{strings.Trim(token, ".,")} // m2 and m3 are words
		if times := strings.TrimPrefix(token, "x"); times != "" && unicode.IsDigit(rune(times[0])) {
			parts = splitNumbers(times)
		}
		for _, part := range parts {
			if n, err := strconv.ParseFloat(strings.ReplaceAll(part, ",", "."), 64); err == nil {
				if n > 0 && factor*n <= maxPack {
					factor, counted, last = factor*n, true, ""
				}
				continue
			}
			if u, ok := plainUnits()[part]; ok {
				known = u
			}
			last = part
		}
	}
	switch {
	case known.of != "":
		return unit{known.of, known.factor * factor}
	case counted && (last == "" || last == "x" || containers()[last]):
		return unit{"pc", factor}
	}
	return unit{last, factor}
}

// maxUnit bounds the text of a unit, in bytes.
const maxUnit = 60

func partOfUnit(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == ','
}

// splitNumbers separates digits, with their decimals, from letters: "25kg" is 25 and kg.
func splitNumbers(token string) (parts []string) {
	for _, part := range numberOrWord().FindAllString(token, -1) {
		if part = strings.Trim(part, ".,"); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

var numberOrWord = lazy.Regexp(`\p{Nd}[\p{Nd}.,]*|\P{Nd}+`)

// plainUnits are the units with the same factor everywhere, by the usual words and the codes
// of UN/ECE recommendation 20. A day of work has 8 hours.
var plainUnits = sync.OnceValue(func() map[string]unit {
	all := map[string]unit{}
	for u, list := range map[unit]string{
		{"pc", 1}: "pc pcs pce pz pza pezzi piece pieces pieza piezas st stk stck stueck styck ea each u un ud uds unit units " +
			"szt db ks kus kusy kom kos buc bucati adet tk gab vnt kpl c62 h87 nar",
		{"pc", 2}: "pr pair pairs paar paare paire paires paio paia",
		{"pc", 12}: "dz doz dozen dozens dzn dtz dutzend douzaine douzaines docena docenas dozzina dozijn dussin tuzin tucat " +
			"tucet duzia duzias duezine",
		{"pc", 144}:     "gross gro",
		{"pc", 100}:     "hundred cen hundert",
		{"pc", 1000}:    "thousand thousands tsd tausend mille mil kpcs kpc mpcs mpc",
		{"kg", 0.001}:   "g gr gram grams gramm grm",
		{"kg", 1}:       "kg kgs kilo kilos kgm kilogram kilograms kilogramm",
		{"kg", 100}:     "dtn quintal",
		{"kg", 1000}:    "t to tonne tonnes tonnen tne mt",
		{"kg", lbInKg}:  "lb lbs lbr pound pounds",
		{"m", 0.001}:    "mm mmt",
		{"m", 0.01}:     "cm cmt",
		{"m", 1}:        "m mtr meter metre metres meters",
		{"m", 1000}:     "km kmt ktm",
		{"m", 0.3048}:   "ft foot feet fot",
		{"m", 0.9144}:   "yd yard yards yrd",
		{"m2", 1}:       "m2 sqm qm mtk",
		{"l", 0.001}:    "ml mlt",
		{"l", 0.01}:     "cl clt",
		{"l", 1}:        "l lt ltr liter litre litres liters litro litri litros",
		{"l", 100}:      "hl hlt",
		{"l", 1000}:     "m3 cbm mtq",
		{"kwh", 1}:      "kwh",
		{"kwh", 1000}:   "mwh",
		{"h", 1.0 / 60}: "min minute minutes minuten",
		{"h", 1}: "h hr hrs hour hours hur std stunde stunden uur uren heure heures ora ore hora " +
			"horas timme timmar timer godz hodina hodin saat",
		{"h", 8}: "d day days tag tage jour jours dag dagen dagar dia dias giorno giorni jornada jornadas dzien dni",
		{"mon", 1}: "mon month months monat monate mois mes meses mese mesi maand maanden miesiac maanad mesic honap " +
			"md mnd mdr maaned maaneder maanader kuukausi luna luni mjesec menesis",
		{"mon", 3}:  "qan quarter quarters quartal quartale trimestre trimestres kwartaal kwartal",
		{"mon", 12}: "ann year years jahr jahre annee annees ano anos anno anni jaar rok",
	} {
		for word := range strings.FieldsSeq(list) {
			all[word] = u
		}
	}
	return all
})

const lbInKg = 0.45359237

// containers are words for packs: with a number they are so many pieces, in either order.
var containers = lazy.Words("bx box boxes ct ctn carton cartons cartone karton kartons kt pk pack packs package packet packung " +
	"pck pkg case cases cs crate crates kiste kisten kasten ve gebinde bag bags bg sack sac beutel tray caja cajas cx " +
	"caixa caixas scatola scatole confezione boite boites paquet colis doos pak lada opak opakowanie krabice kasse er")

// UnitOf reads a unit as a multiple of a plain one; see parseUnit. Two units compare if they have
// one plain unit.
func UnitOf(text string) (plain string, factor float64) {
	u := parseUnit(text)
	return u.of, u.factor
}

// comparable reports whether prices of two units can be compared: they are one, or one isn't known.
func (u unit) comparable(v unit) bool { return u.of == v.of || u.of == "" || v.of == "" }

type quantity struct {
	printed float64 // as stated, without a sign; 0: not stated
	plain   float64 // in plain units
	unit    unit
}

type relation int

const (
	unrelated relation = iota // one is missing, or the units cannot be compared
	equal
	less // the first
	more // the first
)

// exactly is the relative difference allowed for equal quantities, because they are decimals.
const exactly = 1e-6

func (q quantity) compare(r quantity) relation {
	unstated := q.unit.of == "" || r.unit.of == ""
	switch {
	case q.printed == 0 || r.printed == 0:
		return unrelated
	case near(q.plain, r.plain, exactly), unstated && near(q.printed, r.printed, exactly):
		return equal
	case !unstated && q.unit.of != r.unit.of, unstated && q.unit.factor != r.unit.factor:
		return unrelated
	case q.plain < r.plain:
		return less
	}
	return more
}

// digits is the number of significant digits. Use it to weigh equal quantities, because two of
// 648 mean more than two of 600.
func (q quantity) digits() int {
	s := strconv.FormatFloat(math.Round(q.plain*1e6)/1e6, 'f', -1, 64)
	return len(strings.Trim(strings.ReplaceAll(s, ".", ""), "0"))
}

func (q quantity) add(r quantity) quantity {
	return quantity{q.printed + r.printed, q.plain + r.plain, q.unit}
}

func (q quantity) abs() quantity {
	return quantity{math.Abs(q.printed), math.Abs(q.plain), q.unit}
}

func (q quantity) isOneOf(list []quantity) bool {
	return slices.ContainsFunc(list, func(r quantity) bool { return q.compare(r) == equal })
}
