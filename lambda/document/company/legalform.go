package company

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// forms are the legal forms that end a company's name and don't help to identify it: a kind of
// form on a line, its spellings between bars. Dots, spaces and capitals don't matter: S.r.l.
// is also srl, SRL and S. r. l. You needn't list combined forms, because "GmbH & Co. KG" loses
// the KG, then the Co, then the GmbH. List a spelling of several countries once, with the
// first of them.
var forms = []string{
	// Germany, Austria, Switzerland, Liechtenstein
	"GmbH | Ges.m.b.H. | Gesellschaft mit beschränkter Haftung | Gesellschaft mbH | Ges. mit beschr. Haftung | GmbI-I",
	"mbH | m. beschr. H. | mit beschränkter Haftung", // of a Handelsgesellschaft mbH
	"gGmbH | gemeinnützige GmbH | gemeinnützige Gesellschaft mit beschränkter Haftung",
	"AG | Aktiengesellschaft | Aktienges.",
	"KG | Kommanditgesellschaft | Kommanditges.",
	"KGaA | KG auf Aktien | Kommanditgesellschaft auf Aktien",
	"OHG | offene Handelsgesellschaft",
	"OG | offene Gesellschaft",
	"GbR | GdbR | GesbR | Gesellschaft bürgerlichen Rechts | Gesellschaft des bürgerlichen Rechts",
	"UG | haftungsbeschränkt | Unternehmergesellschaft",
	"e.K. | e.Kfm. | e.Kfr. | eingetragener Kaufmann | eingetragene Kauffrau",
	"e.U. | eingetragenes Einzelunternehmen | Einzelunternehmen",
	"eG | eGen | eingetragene Genossenschaft",
	"e.V. | eingetragener Verein",
	"PartG | PartGmbB | mbB | Partnerschaftsgesellschaft",
	"Co. | C0. | Company | Cie | Compagnie | Cia | Compañía",
	"SE | Societas Europaea | Europäische Gesellschaft | Société européenne",
	"SCE | EWIV | EEIG | GEIE",
	// France, Belgium, Luxembourg, Netherlands
	"S.A. | Société anonyme | Sociedad anónima | Sociedade anónima",
	"SARL | S.à r.l.-S | Société à responsabilité limitée",
	"SAS | Société par actions simplifiée",
	"SASU | Société par actions simplifiée unipersonnelle",
	"EURL | Entreprise unipersonnelle à responsabilité limitée",
	"EIRL | Entreprise individuelle",
	"SNC | Société en nom collectif",
	"SCS | Société en commandite simple",
	"SCA | Société en commandite par actions",
	"SCI | Société civile immobilière | Société civile",
	"SELARL | SELAS",
	"SCRL | Société coopérative | Société coopérative à responsabilité limitée",
	"SPRL | Société privée à responsabilité limitée",
	"ASBL | VZW",
	"B.V. | Besloten vennootschap | Besloten vennootschap met beperkte aansprakelijkheid",
	"BVBA | CVBA",
	"N.V. | Naamloze vennootschap",
	"VOF | Vennootschap onder firma",
	"C.V. | CommV | Commanditaire vennootschap",
	"Coöp. | U.A.",
	// Italy
	"S.p.A. | Società per azioni",
	"S.r.l. | Società a responsabilità limitata",
	"S.r.l.s. | Società a responsabilità limitata semplificata",
	"Società in nome collettivo",
	"Società in accomandita semplice",
	"S.a.p.a. | Società in accomandita per azioni",
	"S.c.a.r.l. | Società consortile a responsabilità limitata",
	"Soc. coop. | Soc. coop. a r.l. | Società cooperativa",
	"unipersonale | a socio unico | con socio unico",
	// Spain, Portugal
	"S.L. | Sociedad limitada | Sociedad de responsabilidad limitada",
	"S.L.U. | Sociedad limitada unipersonal",
	"S.A.U. | Sociedad anónima unipersonal",
	"S.L.L. | S.A.L.",
	"S. Coop. | Sociedad cooperativa",
	"C.B. | Comunidad de bienes",
	"Lda. | Limitada | Unipessoal",
	"SGPS",
	// Poland
	"Sp. z o.o. | Spółka z o.o. | Spółka z ograniczoną odpowiedzialnością",
	"Spółka akcyjna | Prosta spółka akcyjna | P.S.A.",
	"Sp. k. | Spółka komandytowa",
	"Sp. j. | Spółka jawna",
	"S.K.A. | Spółka komandytowo-akcyjna",
	"Spółka cywilna",
	// Czech Republic, Slovakia
	"s.r.o. | spol. s r.o. | společnost s ručením omezeným | spoločnosť s ručením obmedzeným",
	"a.s. | akciová společnost | akciová spoločnosť", // and A/S, AS in the north
	"k.s. | komanditní společnost | komanditná spoločnosť",
	"v.o.s. | veřejná obchodní společnost | verejná obchodná spoločnosť",
	// Hungary
	"Kft. | Korlátolt felelősségű társaság",
	"Zrt. | Zártkörűen működő részvénytársaság",
	"Nyrt. | Nyilvánosan működő részvénytársaság",
	"Rt. | Részvénytársaság",
	"Bt. | Betéti társaság",
	"Kkt. | Közkereseti társaság",
	// Romania
	"Societate cu răspundere limitată",
	"Societate pe acțiuni",
	"P.F.A. | Persoană fizică autorizată",
	// Slovenia, Croatia
	"d.o.o. | družba z omejeno odgovornostjo | društvo s ograničenom odgovornošću",
	"j.d.o.o.",
	"d.d. | delniška družba | dioničko društvo",
	"d.n.o. | j.t.d.",
	"k.d. | komanditna družba | komanditno društvo",
	"s.p. | samostojni podjetnik",
	// Bulgaria, Greece
	"OOD | Дружество с ограничена отговорност",
	"EOOD | Еднолично дружество с ограничена отговорност",
	"AD | Акционерно дружество",
	"EAD | Еднолично акционерно дружество",
	"A.E. | Ανώνυμη Εταιρεία | Ανώνυμος Εταιρεία",
	"E.P.E. | Εταιρεία Περιορισμένης Ευθύνης",
	"I.K.E. | Ιδιωτική Κεφαλαιουχική Εταιρεία",
	"O.E. | E.E. | Ομόρρυθμη Εταιρεία | Ετερόρρυθμη Εταιρεία",
	// Denmark, Sweden, Norway, Finland
	"Aktieselskab",
	"ApS | Anpartsselskab",
	"I/S | Interessentskab",
	"Kommanditselskab",
	"AMBA | IVS",
	"AB | Aktiebolag | publ",
	"HB | Handelsbolag",
	"KB | Kommanditbolag",
	"Ek. för. | Ekonomisk förening",
	"Aksjeselskap",
	"ASA | Allmennaksjeselskap",
	"ANS | Ansvarlig selskap",
	"ENK | Enkeltpersonforetak",
	"NUF",
	"Oy | Osakeyhtiö",
	"Oyj | Julkinen osakeyhtiö",
	"Ky | Kommandiittiyhtiö",
	"Tmi | Toiminimi",
	// Estonia, Latvia, Lithuania
	"OÜ | Osaühing",
	"Aktsiaselts",
	"UÜ | Usaldusühing | FIE",
	"SIA | Sabiedrība ar ierobežotu atbildību",
	"Akciju sabiedrība",
	"UAB | Uždaroji akcinė bendrovė",
	"Akcinė bendrovė",
	"MB | Mažoji bendrija",
	// United Kingdom, Ireland, United States and other English-speaking countries
	"Ltd. | Limited | Itd",
	"PLC | Public limited company",
	"LLP | Limited liability partnership",
	"LP | Limited partnership",
	"LLC | Limited liability company | PLLC",
	"Inc. | Incorporated",
	"Corp. | Corporation",
	"CIC | Community interest company",
	"DAC | Designated activity company",
	"CLG | Company limited by guarantee",
	"ULC | Unlimited company",
	"Pty. | Proprietary",
	"Pvt. | Private limited",
}

// formTable is an index of the forms by their letters, printed or misread.
type formTable struct {
	exact, misread map[string]bool
	outlines       map[[3]byte]bool // use first, so that few words are looked up
}

// legalForms is made when it is needed, because most functions start without it.
var legalForms = sync.OnceValue(func() formTable { return newFormTable(forms) })

func newFormTable(lines []string) formTable {
	t := formTable{map[string]bool{}, map[string]bool{}, map[[3]byte]bool{}}
	for _, line := range lines {
		for spelling := range strings.SplitSeq(line, "|") {
			for _, s := range []string{spelling, withoutUmlauts.Replace(spelling)} {
				letters := split(norm.NFKC.String(s)).letters
				t.exact[letters] = true
				t.misread[string(appendMisread(nil, letters))] = true
				t.outlines[outline(letters)] = true
			}
		}
	}
	return t
}

var withoutUmlauts = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "Ü", "U")

// maxForm is the longest form, in words: Besloten vennootschap met beperkte aansprakelijkheid
// as well as S. c. a. r. l.
const maxForm = 5

// longForm is the number of letters from which a form is recognised even if letters are
// mistaken for each other, not only digits for letters.
const longForm = 10

func appendMisread(out []byte, letters string) []byte {
	if len(letters) >= longForm {
		return roughening.append(out, letters)
	}
	return folding.append(out, letters)
}

// outline returns the first letter and the last two, as in rough.
func outline(letters string) [3]byte {
	last := len(letters) - 1
	rough := roughening.table
	return [3]byte{rough[letters[0]], rough[letters[max(0, last-1)]], rough[letters[last]]}
}

// has reports whether the letters of so many words are a form. A short form counts as misread
// only if it contains a digit, because sri is a word, but sr1 isn't, and A6 may be many things
// but not A.6.
func (t formTable) has(letters string, words int) bool {
	switch {
	case !t.outlines[outline(letters)]:
		return false
	case t.exact[letters]:
		return true
	case len(letters) == 3 || len(letters) == 2 && words > 1:
		if !strings.ContainsAny(letters, "01568") {
			return false
		}
	case len(letters) < 4:
		return false
	}
	return t.misread[string(appendMisread(make([]byte, 0, 64), letters))]
}

// longest returns the start of the longest form at the end of the words, or their number.
func (t formTable) longest(text text) int {
	words := len(text.words)
	from := max(0, words-maxForm)
	for from < words && !t.has(text.from(from), words-from) {
		from++
	}
	return from
}

// without returns the words without the legal forms at their end, longest first. If the whole
// name is a form, it stays, as one word.
func (t formTable) without(text text) text {
	for {
		from := t.longest(text)
		switch from {
		case len(text.words):
			return text
		case 0:
			text.words = []token{{end: len(text.letters)}}
			return text
		}
		text = text.before(from)
		for n := len(text.words); n > 1 && connectives[text.word(n-1)]; n = len(text.words) {
			text = text.before(n - 1)
		}
	}
}

// connectives join words and have several spellings, including & and +.
var connectives = map[string]bool{
	"und": true, "and": true, "et": true, "e": true, "y": true, "og": true, "och": true, "en": true,
}

// attached are legal forms of scripts without spaces, before or after the name.
var attached = strings.NewReplacer(attachedForms("株式会社 有限会社 合同会社 (株) (有) (合) 株式會社 " +
	"股份有限公司 有限责任公司 有限公司 股份有限公司 有限責任公司 집단유한회사 주식회사 유한회사 (주) (유)")...)

func attachedForms(list string) (pairs []string) {
	for _, form := range strings.Fields(list) {
		pairs = append(pairs, form, " ")
	}
	return pairs
}

func attachable(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hangul) }

// withoutForms returns a name without attached forms, or the name itself if that leaves nothing.
func withoutForms(s string) string {
	if strings.IndexFunc(s, attachable) < 0 {
		return s
	}
	if bare := attached.Replace(s); strings.TrimSpace(bare) != "" {
		return bare
	}
	return s
}
