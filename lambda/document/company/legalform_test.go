package company

import (
	"slices"
	"strings"
	"testing"
)

// written are legal forms as they stand behind a name, each of which goes.
var written = []string{
	// Germany, Austria, Switzerland, Liechtenstein
	"GmbH | G.m.b.H. | G. m. b. H. | GMBH | GrnbH | 6mbH | Ges.m.b.H. | Gesellschaft mit beschränkter Haftung | Gesellschaft mit beschrankter Haftung | GESELLSCHAFT MIT BESCHRÄNKTER HAFTUNG | Gesellschaft mit bcschränkter Haftung | Gesellschaft mbH | Ges. mit beschr. Haftung | GmbI-I",
	"gGmbH | gemeinnützige GmbH | gemeinnützige Gesellschaft mit beschränkter Haftung",
	"AG | A. G. | Aktiengesellschaft | AKTIENGESELLSCHAFT | Aktiengesellschoft | Aktienges.",
	"KG | K.G. | Kommanditgesellschaft | Kommanditges.",
	"KGaA | KG auf Aktien | Kommanditgesellschaft auf Aktien",
	"OHG | offene Handelsgesellschaft",
	"OG | offene Gesellschaft",
	"GbR | GdbR | GesbR | Gesellschaft bürgerlichen Rechts | Gesellschaft des bürgerlichen Rechts",
	"UG | UG (haftungsbeschränkt) | UG (haftungsbeschrankt) | Unternehmergesellschaft",
	"e.K. | e. K. | eK | e.Kfm. | e.Kfr. | eingetragener Kaufmann | eingetragene Kauffrau",
	"e.U. | eingetragenes Einzelunternehmen | Einzelunternehmen",
	"eG | eGen | eingetragene Genossenschaft",
	"e.V. | eingetragener Verein",
	"PartG | PartGmbB | PartG mbB | Partnerschaftsgesellschaft mbB | Partnerschaftsgesellschaft",
	"Co. | C0. | Company | Cie | Compagnie | Cia | Compañía",
	"SE | Societas Europaea | Europäische Gesellschaft | Société européenne",
	"SCE | EWIV | EEIG | GEIE",
	// France, Belgium, Luxembourg, Netherlands
	"S.A. | SA | S. A. | Société anonyme | Sociedad anónima | Sociedade anónima",
	"SARL | S.à r.l. | S. à r. l. | Sàrl | S.à r.l.-S | Société à responsabilité limitée",
	"SAS | S.A.S. | Société par actions simplifiée",
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
	"BV | B. V. | 8.V. | Besloten vennootschap | Besloten vennootschap met beperkte aansprakelijkheid",
	"BVBA | CVBA",
	"N.V. | NV | Naamloze vennootschap",
	"VOF | Vennootschap onder firma",
	"C.V. | CommV | Commanditaire vennootschap",
	"Coöp. | Coöp. U.A.",
	// Italy
	"S.p.A. | S. p. A. | SPA | Società per azioni",
	"S.r.l. | SRL | S.r.1. | Società a responsabilità limitata",
	"S.r.l.s. | Società a responsabilità limitata semplificata",
	"S.n.c. | Società in nome collettivo",
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
	"Sp. z o.o. | Sp. z o. o. | SP Z O O | Sp. z 0.0. | Spółka z o.o. | Spółka z ograniczoną odpowiedzialnością",
	"Spółka akcyjna | Prosta spółka akcyjna | P.S.A.",
	"Sp. k. | Spółka komandytowa",
	"Sp. j. | Spółka jawna",
	"S.K.A. | Spółka komandytowo-akcyjna",
	"Spółka cywilna",
	// Czech Republic, Slovakia
	"s.r.o. | s. r. o. | spol. s r.o. | společnost s ručením omezeným | spoločnosť s ručením obmedzeným",
	"a.s. | A/S | AS | akciová společnost | akciová spoločnosť",
	"k.s. | komanditní společnost | komanditná spoločnosť",
	"v.o.s. | veřejná obchodní společnost | verejná obchodná spoločnosť",
	// Hungary
	"Kft. | KFT | Korlátolt felelősségű társaság",
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
	"d.o.o. | D. O. O. | družba z omejeno odgovornostjo | društvo s ograničenom odgovornošću",
	"j.d.o.o.",
	"d.d. | delniška družba | dioničko društvo",
	"d.n.o. | j.t.d.",
	"k.d. | komanditna družba | komanditno društvo",
	"s.p. | samostojni podjetnik",
	// Bulgaria, Greece
	"ООД | OOD | Дружество с ограничена отговорност",
	"ЕООД | Еднолично дружество с ограничена отговорност",
	"АД | Акционерно дружество",
	"ЕАД | Еднолично акционерно дружество",
	"Α.Ε. | A.E. | Ανώνυμη Εταιρεία | Ανώνυμος Εταιρεία",
	"Ε.Π.Ε. | Εταιρεία Περιορισμένης Ευθύνης",
	"Ι.Κ.Ε. | Ιδιωτική Κεφαλαιουχική Εταιρεία",
	"Ο.Ε. | Ε.Ε. | Ομόρρυθμη Εταιρεία | Ετερόρρυθμη Εταιρεία",
	// Denmark, Sweden, Norway, Finland
	"Aktieselskab",
	"ApS | Anpartsselskab",
	"I/S | Interessentskab",
	"K/S | Kommanditselskab",
	"AMBA | IVS",
	"AB | Aktiebolag | AB (publ)",
	"HB | Handelsbolag",
	"KB | Kommanditbolag",
	"Ek. för. | Ekonomisk förening",
	"Aksjeselskap",
	"ASA | Allmennaksjeselskap",
	"ANS | Ansvarlig selskap",
	"ENK | Enkeltpersonforetak",
	"NUF",
	"Oy | Oy Ab | Osakeyhtiö",
	"Oyj | Julkinen osakeyhtiö",
	"Ky | Kommandiittiyhtiö",
	"Tmi | Toiminimi",
	// Estonia, Latvia, Lithuania
	"OÜ | OU | Osaühing",
	"Aktsiaselts",
	"UÜ | Usaldusühing | FIE",
	"SIA | Sabiedrība ar ierobežotu atbildību",
	"Akciju sabiedrība",
	"UAB | Uždaroji akcinė bendrovė",
	"Akcinė bendrovė",
	"MB | Mažoji bendrija",
	// United Kingdom, Ireland, United States and where English is spoken
	"Ltd. | LTD | 1td | Limited | Itd",
	"plc | Public limited company",
	"LLP | Limited liability partnership",
	"LP | Limited partnership",
	"L.L.C. | LLC | Limited liability company | PLLC",
	"Inc. | INC | Incorporated",
	"Corp. | Corporation",
	"CIC | Community interest company",
	"DAC | Designated activity company",
	"CLG | Company limited by guarantee",
	"ULC | Unlimited company",
	"Pty. Ltd. | Proprietary",
	"Pvt. Ltd. | Private limited",
}

// kept are names of which not everything that looks like a legal form goes.
var kept = []struct{ name, want string }{
	{"Handelsges. m. b. H.", "handelsges"},
	{"Handelsges. m. beschr. H.", "handelsges"},
	{"Handelsgesellschaft mit beschränkter Haftung", "handelsgesellschaft"},
	{"Eisvogel GmbH & Co. KG", "eisvogel"},
	{"Eisvogel GmbH + Co KG", "eisvogel"},
	{"Eisvogel GmbH und Co. KG", "eisvogel"},
	{"Eisvogel GmbH & Co. Kommanditgesellschaft", "eisvogel"},
	{"EISVOGEL GRNBH & C0. KG", "eisvogel"},
	{"Eisvogel Verwaltungs-AG & Co. KGaA", "eisvogel verwaltungs"},
	{"Eisvogel Ltd. & Co. KG", "eisvogel"},
	{"Eisvogel Pty Ltd", "eisvogel"},
	{"Eisvogel Oy Ab", "eisvogel"},
	{"Eisvogel Sp. z o.o. Sp. k.", "eisvogel"},
	{"Eisvogel S.r.l. unipersonale", "eisvogel"},
	{"Eisvogel GmbH (Deutschland)", "eisvogel gmbh deutschland"},
	{"Eisvogel AG Zürich", "eisvogel ag zuerich"},
	{"AG Eisvogel", "ag eisvogel"},
	{"AG", "ag"},
	{"G. m. b. H.", "gmbh"},
	{"GmbH & Co. KG", "gmbh"},
	{"Ges. m. b. H. & Co KG", "gesmbh"},
	{"SAS AG", "sas"},
	{"Eisvogel und", "eisvogel und"},
	{"Format A6", "format a6"}, // not A.G.
	{"Institut SRI", "institut sri"},
	{"Gambit", "gambit"},
}

// problem is the first name that the table of forms makes something else of;
// empty if there is none.
func problem(table formTable) string {
	check := func(name, want string) string {
		text := table.without(split(name))
		var words []string
		for i := range text.words {
			words = append(words, text.word(i))
		}
		if got := strings.Join(words, " "); got != want {
			return name + " is " + got + ", want " + want
		}
		return ""
	}
	for _, line := range written {
		for form := range strings.SplitSeq(line, " | ") {
			if p := check("Eisvogel "+form, "eisvogel"); p != "" {
				return p
			}
		}
	}
	for _, c := range kept {
		if p := check(c.name, c.want); p != "" {
			return p
		}
	}
	return ""
}

func TestLegalFormsAtTheEndGo(t *testing.T) {
	t.Parallel()
	if p := problem(legalForms()); p != "" {
		t.Error(p)
	}
}

// A new spelling needs a name here.
func TestEachLegalFormIsNeeded(t *testing.T) {
	t.Parallel()
	for i, line := range forms {
		spellings := strings.Split(line, " | ")
		for j, spelling := range spellings {
			without := slices.Delete(slices.Clone(forms), i, i+1)
			without = append(without, slices.Delete(slices.Clone(spellings), j, j+1)...)
			if problem(newFormTable(without)) == "" {
				t.Errorf("%q: no name has this spelling, or it goes without", spelling)
			}
		}
	}
}
