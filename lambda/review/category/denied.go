package category

import (
	"slices"
	"strings"

	"matchbook/lambda/review/record"
)

// literal are the categories with clauses that are negations: not liable, not assignable. No
// denial is looked for in them.
var literal = []record.Category{record.Parties, record.Assignment, record.LiabilityCap, record.UncappedLiability,
	record.GoverningLaw}

// denials begin words that a sentence denies.
var denials = parseAll(
	"not|neither|nor|never|no|nothing ~6 required|obliged|obligated|bound|committed|appointed|subject",
	"no ~2 obligation|duty|requirement|commitment|option",
	"no ~1 right|rights|minimum|exclusiv*|licence*|license*|indemnit*|insurance|renewal",
	"nothing ~12 construed|interpreted|deemed|prevent*|prohibit*|preclude*|restrict*|require*|oblige*",
	"nothing ~8 grant*|assign*|transfer*|convey*",
	"not ~2 construed|interpreted|deemed|prevent|prohibit|preclude|restrict|require|oblige",
	"does|do|shall|will not ~2 warrant|represent|mean|imply|create|constitute|contain|confer|include|give",
	"waive* ~3 right|rights|option|claim",
	"nicht|keine*|kein ~4 verpflichtet|gebunden|verpflichtung|pflicht",
	"keine*|kein ~2 *exklusiv*|*lizenz*|*nutzungsrecht*|mindest*|*versicherung*",
	"n est|sont ~2 pas|aucunement|nullement ~3 tenu*|obligé*|lié*", "n est|sont ~1 tenu*|lié* ~2 aucun*",
	"aucun* ~5 n est|sont ~1 tenu*|lié*|obligé*",
	"aucun* ~2 exclusivité|licence|obligation|droit|assurance|engagement",
)

// denialsBefore end words that a sentence denies.
var denialsBefore = parseAll(
	"is|are|was|were excluded|waived|disclaimed", "weder ~15 vereinbart|eingeräumt|gewährt|geschuldet",
	"ist|sind|wird|werden ausgeschlossen", "nicht erforderlich|notwendig|geschuldet", "est|sont exclu*",
	"is|are not ~1 granted|agreed|given|provided|included|required|intended",
	"nicht|keine* ~1 vereinbart|eingeräumt|gewährt|geschuldet|bestellt|übertragen",
	"n est|sont pas ~1 accordé*|convenu*|concédé*|prévu*",
)

// ownDenials are denials in one category, because the same words make a clause in another.
var ownDenials = map[record.Category][]string{
	record.Renewal: {"shall|will|may|can|does not ~3 renew*|extend*|renewed|extended", "cannot ~3 renew*|extend*",
		"nicht ~3 verlängert", "verlängert ~3 nicht", "ne ~4 renouvel*|reconduit*|recond*"},
	record.Termination: {"neither|no ~5 terminate", "cannot ~2 terminate|terminated",
		"may|can|shall|will ~1 not ~2 terminate|terminated|end|withdraw|rescind",
		"kann|können|darf ~3 nicht ~8 gekündigt|kündigen|zurücktreten|beenden"},
	record.IPOwnership: {"not|nor ~2 transfer|convey|assign|grant|vest", "nor ~5 transfers|conveys|assigns",
		"none ~20 own", "no ~12 create*|give*|confer*",
		"not ~6 represent|claim|assert ~6 has|have|own*|right*|title",
		"acknowledge*|admit*|recogni*|inconsistent ~6 right|rights|title|ownership|validity"},
	record.Exclusivity: {"acknowledge*|recogni* ~6 right|rights|title",
		"free|liberty|entitled to ~2 enter|compete|sell|purchase|engage|offer|deal"},
	record.Indemnity: {"not ~5 indemnify|indemnified", "no indemnification"},
	record.License:   {"not|nor ~2 transfer|convey|grant"},
}

func parseAll(patterns ...string) (list []phrase) {
	for _, p := range patterns {
		list = append(list, parse(0, p))
	}
	return list
}

var (
	// turns end a denial, because the sentence goes on to say something else.
	turns = strings.Fields("but however provided though although sondern jedoch aber mais toutefois")
	// exceptions void a denial: not unless X is a clause about X.
	exceptions = strings.Fields("except unless until außer sofern sauf")
	// reserved follow an exception that names nothing: no licence is granted except as stated.
	reserved = strings.Fields("as expressly to")
	// linking words within a denial begin another clause, so that the denial isn't one.
	linking = strings.Fields("that which who whom dass que qui")
	modals  = strings.Fields("shall will must agrees grants")
)

// asserted returns the sentence with the denied words blank.
func (s sentence) asserted(text string, list []phrase) sentence {
	words := s.words
	for at := 0; at < len(s.words); {
		from, to := firstOf(list, s.words[at:])
		if from < 0 {
			break
		}
		from, to = from+at, to+at
		at = to
		if end, void := scope(text, s.words, from, to); !void {
			words, at = blank(words, from, end), end
		}
	}
	for _, p := range denialsBefore {
		if from, to := p.match(s.words); from >= 0 {
			words = blank(words, begin(text, s.words, from), to)
		}
	}
	return sentence{words}
}

func firstOf(list []phrase, words []word) (from, to int) {
	from = -1
	for _, p := range list {
		if f, t := p.match(words); f >= 0 && (from < 0 || f < from) {
			from, to = f, t
		}
	}
	return from, to
}

func blank(words []word, from, to int) []word {
	words = slices.Clone(words)
	for i := range words[from:to] {
		words[from+i].text = ""
	}
	return words
}

// scope returns the end of a denial, and whether it's void.
func scope(text string, words []word, from, to int) (end int, void bool) {
	for i, w := range words[from:to] {
		if i > 0 && slices.Contains(linking, w.text) {
			return to, true
		}
	}
	for i := to; i < len(words); i++ {
		w := words[i].text
		switch {
		case strings.ContainsAny(text[words[i-1].end:words[i].start], ";:") || slices.Contains(turns, w):
			return i, false
		case slices.Contains(exceptions, w) || w == "other" && i+1 < len(words) && words[i+1].text == "than":
			return i, !flat(words[from:to]) && i+1 < len(words) && !slices.Contains(reserved, words[i+1].text)
		case slices.Contains(modals, w) && joined(words[max(to, i-4):i]):
			return i, false
		}
	}
	return len(words), false
}

// flat reports whether an exception leaves a denial as it is: nothing grants a right other than
// the right to read.
func flat(denial []word) bool {
	last := denial[len(denial)-1].text
	return denial[0].text == "nothing" || strings.HasPrefix(last, "licen") || strings.HasPrefix(last, "right")
}

func joined(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.text == "and" || w.text == "or" })
}

// begin returns the start of the part of a sentence that goes on to a word.
func begin(text string, words []word, at int) int {
	for i := at; i > 0; i-- {
		if strings.ContainsAny(text[words[i-1].end:words[i].start], ";:") || slices.Contains(turns, words[i-1].text) {
			return i
		}
	}
	return 0
}

// defines reports whether the sentence defines a word, and whether the word is in quotation
// marks: "Term" means ... Without the marks it may only mention a meaning.
func (s sentence) defines(text string) (defines, quoted bool) {
	words := s.words[:min(len(s.words), 15)]
	for n, p := range definitions {
		i := p.find(words)
		if i > 0 && strings.ContainsAny(text[words[i-1].end:words[i].start], "\"”“»*'’") {
			return true, true
		}
		defines = defines || i >= 0 && n < certain
	}
	return defines, false
}

// certain is the number of definitions that need no quotation marks.
const certain = 5

var definitions = parseAll("means|bedeutet|bezeichnet|désigne|signifie", "shall mean", "refers to",
	"has|have the meaning*", "hat|haben die bedeutung", "includes|include", "is|are defined")

// Law forbids limits of liability for the first subjects; the others are negotiated.
var (
	lawful = parseAll("death|bodily|fraud*|wilful|willful|intentional*", "personal ~1 injury|injuries",
		"cannot|not be ~4 limited|excluded|restricted ~6 law|laws", "not ~2 lawfully|legally", "section* ~8 act",
		"law|laws ~2 forbid*|prohibit*|prevent*", "extent ~6 law|laws",
		"vorsatz*|vorsätzlich*|arglist*|lebens|körpers|gesundheit|produkthaftung*", "dol|dolosi*|corporel*")
	gross      = parseAll("gross|grossly|grob*|lourde")
	negotiated = parseAll("indemni*|confiden*|infring*|intellectual|data|fees|pay|payment*",
		"breach* ~5 section*|clause*|article*|warrant*|agreement",
		"geheimhaltung*|vertraulich*|schutzrecht*|daten*",
		"confidentialité|contrefaçon|données")
)

// byLaw reports whether a sentence, with the list that it opens, frees only liability that law
// doesn't let anyone limit.
func byLaw(text string, rest []sentence) bool {
	words := rest[0].words
	for i := 1; i < len(rest) && rest[i].isItem(text, words[len(words)-1].end); i++ {
		words = slices.Concat(words, rest[i].words)
	}
	return anyOf(lawful, words) && !anyOf(gross, words) && !anyOf(negotiated, words)
}

// OnlyGrossFault reports whether a clause frees liability for gross fault and for nothing that
// was negotiated. Some law requires this, so it weighs less.
func OnlyGrossFault(clause string) bool {
	words := wordsOf(clause)
	return anyOf(gross, words) && !anyOf(negotiated, words)
}

func anyOf(list []phrase, words []word) bool {
	return slices.ContainsFunc(list, func(p phrase) bool { return p.find(words) >= 0 })
}

// isItem reports whether the sentence is an item of the list before it.
func (s sentence) isItem(text string, before int) bool {
	between := text[before:s.words[0].start]
	return strings.ContainsAny(between, ":;(") || strings.Contains(between, "\n- ") || strings.Contains(between, "\n* ")
}
