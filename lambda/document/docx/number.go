package docx

import (
	"strconv"
	"strings"
)

// levels is the number of levels of a list.
const levels = 9

// level is the definition of a level of a list.
type level struct {
	start   int
	format  string
	custom  string // pattern of a custom format, such as "001, 002"
	text    string
	restart int // level before which it restarts, from 1; 0: never; -1: any above it
	legal   bool
	hidden  bool
	style   string
}

// list counts the paragraphs of an abstract list, shared by its instances.
type list struct {
	levels [levels]level
	count  [levels]int
	on     [levels]bool
	same   string // style of the list that it refers to
	named  string // style under which others refer to it
}

// instance is a use of a list, with its own levels and restarts.
type instance struct {
	list    *list
	levels  [levels]level
	restart [levels]*int // applied once
}

// numbering reads numbering.xml.
func numbering(root *node) map[string]*instance {
	lists, all := map[string]*list{}, map[string]*instance{}
	for _, a := range root.all("w:abstractNum") {
		l := &list{same: a.val("w:numStyleLink"), named: a.val("w:styleLink")}
		for i := range l.levels {
			l.levels[i] = level{start: 0, format: "decimal", restart: -1}
		}
		for _, n := range a.all("w:lvl") {
			if i, ok := levelOf(n.attr("w:ilvl")); ok {
				l.levels[i] = readLevel(n)
			}
		}
		lists[a.attr("w:abstractNumId")] = l
	}
	for _, n := range root.all("w:num") {
		l := lists[n.val("w:abstractNumId")]
		if l == nil {
			continue
		}
		if l.same != "" {
			l = linked(l, lists)
		}
		all[n.attr("w:numId")] = instanceOf(n, l)
	}
	return all
}

// linked returns the list behind a reference to a style of lists.
func linked(l *list, lists map[string]*list) *list {
	for _, other := range lists {
		if other.named == l.same {
			return other
		}
	}
	return l
}

func instanceOf(n *node, l *list) *instance {
	in := &instance{list: l, levels: l.levels}
	for _, o := range n.all("w:lvlOverride") {
		i, ok := levelOf(o.attr("w:ilvl"))
		if !ok {
			continue
		}
		if own := o.kid("w:lvl"); own != nil {
			in.levels[i] = readLevel(own)
		}
		if k := o.kid("w:startOverride"); k != nil {
			start := number(k.attr("w:val"))
			in.restart[i] = &start
		}
	}
	return in
}

func readLevel(n *node) level {
	l := level{start: number(n.val("w:start")), format: n.val("w:numFmt"), text: n.val("w:lvlText"),
		restart: -1, style: n.val("w:pStyle")}
	l.legal, _ = n.on("w:isLgl")
	l.hidden, _ = n.kid("w:rPr").on("w:vanish")
	if k := n.kid("w:lvlRestart"); k != nil {
		l.restart = number(k.attr("w:val"))
	}
	n.below(func(k *node) bool { // Word writes formats of later versions as an alternative
		if k.name == "w:numFmt" {
			l.format, l.custom = k.attr("w:val"), k.attr("w:format")
		}
		return k.name != "w:rPr"
	})
	if l.format == "" {
		l.format = "decimal"
	}
	return l
}

func levelOf(s string) (int, bool) {
	i, err := strconv.Atoi(s)
	return i, err == nil && i >= 0 && i < levels
}

// number reads a count. Hostile ones are cut, because some formats repeat a letter.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return max(0, min(n, 1_000_000))
}

// next counts a paragraph and returns its label.
func (in *instance) next(at int) string {
	l := in.list
	switch own := &in.restart[at]; {
	case *own != nil:
		l.count[at], l.on[at], *own = **own, true, nil
	case !l.on[at]:
		l.count[at], l.on[at] = in.levels[at].start, true
	default:
		l.count[at]++
	}
	for deeper := at + 1; deeper < levels; deeper++ {
		if r := in.levels[deeper].restart; r < 0 || at < r {
			l.on[deeper] = false
		}
	}
	return in.label(at)
}

func (in *instance) label(at int) string {
	def := in.levels[at]
	if def.hidden {
		return ""
	}
	if def.format == "bullet" {
		return bullet(def.text)
	}
	var b strings.Builder
	for rest := def.text; rest != ""; {
		if len(rest) > 1 && rest[0] == '%' && rest[1] >= '1' && rest[1] <= '9' {
			b.WriteString(in.count(int(rest[1]-'1'), def.legal))
			rest = rest[2:]
			continue
		}
		b.WriteByte(rest[0])
		rest = rest[1:]
	}
	return strings.TrimSpace(b.String())
}

// count returns a level's number as it's shown. One that has not begun shows its start.
func (in *instance) count(at int, legal bool) string {
	def, n := in.levels[at], in.list.count[at]
	if !in.list.on[at] {
		n = def.start
	}
	if legal && def.format != "none" {
		return strconv.Itoa(n)
	}
	if def.format == "custom" {
		return padded(n, def.custom)
	}
	return format(n, def.format)
}

// bullet returns a bullet's character. Symbol fonts have private codes for theirs.
func bullet(text string) string {
	for _, r := range text {
		if s, ok := symbols[int64(r)-0xf000]; ok {
			return s
		}
		if r >= 0xe000 && r <= 0xf8ff || r == 'o' {
			return "•"
		}
	}
	return text
}
