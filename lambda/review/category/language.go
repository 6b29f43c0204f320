package category

import (
	"unicode"

	"matchbook/lambda/internal/lazy"
)

// languages are common words of each. Rules read the first three.
var languages = []struct {
	name  string
	words func() map[string]bool
}{
	{"English", lazy.Words("the of and to in by is be shall this that for with or any not between which as it")},
	{"German", lazy.Words("der die das und den dem des ist wird zu nach zwischen für mit von oder nicht ein eine einer im auf")},
	{"French", lazy.Words("le la les des du et est pour par dans une un aux ou que qui entre au sur ne pas ce")},
	{"Spanish", lazy.Words("el los las del y se por para que una con no en o su lo al como será podrá entre este")},
	{"Italian", lazy.Words("il gli della dei delle di e è per che non una con nella sono del tra al la le si da ad")},
	{"Portuguese", lazy.Words("o os as do da dos das e é para que não uma com em no na são ou pelo pela entre ao")},
	{"Dutch", lazy.Words("de het een van en is voor door dat niet met op te zijn wordt aan of die tussen deze in bij")},
	{"Polish", lazy.Words("i w na z do nie jest się oraz przez lub które za od są że dla między po o przy")},
	{"Swedish", lazy.Words("och att det som är för av på den med till inte ska en ett mellan detta i från eller")},
	{"Danish", lazy.Words("og at det som er for af på den med til ikke skal en et mellem denne i fra eller der")},
	{"Turkish", lazy.Words("ve bu bir ile için olarak olan taraf veya tarafından gibi kadar her şekilde yer alan")},
}

const read = 3 // of languages

// Shares of a text in a language that rules don't read, by words.
const (
	mentioned = 0.15 // worth a remark
	unread    = 0.6  // too much to find anything missing
)

var blocks = lazy.Regexp(`\n[ \t\r]*\n`)

// Unread returns the language that rules don't read in a contract, and whether they can't read
// the contract for it. It's empty if they read all but a few passages.
func Unread(text string) (language string, all bool) {
	sizes, total := map[string]int{}, 0
	for _, block := range blocks().Split(text, -1) {
		if name, size := languageOf(block); name != "" {
			sizes[name] += size
			total += size
		}
	}
	foreign := 0
	for name, size := range sizes {
		if isRead(name) {
			continue
		}
		foreign += size
		if language == "" || size > sizes[language] || size == sizes[language] && name < language {
			language = name
		}
	}
	share := float64(foreign) / float64(max(total, 1))
	if share < mentioned {
		return "", false
	}
	return language, share >= unread
}

func isRead(name string) bool {
	for _, l := range languages[:read] {
		if l.name == name {
			return true
		}
	}
	return false
}

// fewest is the number of common words that prove a language.
const fewest = 3

// languageOf returns the language of a paragraph, or nothing, and its size in words.
func languageOf(text string) (name string, size int) {
	if script, letters := foreignScript(text); script != "" {
		return "its script (" + script + ")", max(letters/6, 1)
	}
	words := wordsOf(text)
	best := fewest - 1
	for _, l := range languages {
		n := 0
		for _, w := range words {
			if l.words()[w.text] {
				n++
			}
		}
		if n > best {
			name, best = l.name, n
		}
	}
	return name, len(words)
}

// foreignScript returns the script of most letters unless it's Latin.
func foreignScript(text string) (script string, letters int) {
	counts, all := map[string]int{}, 0
	for _, r := range text {
		if !unicode.IsLetter(r) || unicode.Is(unicode.Latin, r) {
			if unicode.IsLetter(r) {
				all++
			}
			continue
		}
		all++
		for _, name := range []string{"Cyrillic", "Greek", "Han", "Hiragana", "Hangul", "Arabic", "Hebrew", "Devanagari", "Thai"} {
			if unicode.Is(unicode.Scripts[name], r) {
				counts[name]++
				break
			}
		}
	}
	for name, n := range counts {
		if 2*n > all {
			return name, all
		}
	}
	return "", all
}
