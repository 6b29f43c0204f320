package docx

import (
	"slices"
	"strconv"
)

// styles are the elements of styles by id; "" is the default of paragraphs.
type styles map[string]*node

func readStyles(root *node) styles {
	s := styles{}
	for _, n := range root.all("w:style") {
		s[n.attr("w:styleId")] = n
		if d := n.attr("w:default"); n.attr("w:type") == "paragraph" && (d == "1" || d == "true" || d == "on") {
			s[""] = n
		}
	}
	return s
}

// chain returns a style and those it is based on.
func (s styles) chain(id string) (chain []*node) {
	for n := s[id]; n != nil && !slices.Contains(chain, n) && len(chain) < 32; n = s[n.val("w:basedOn")] {
		chain = append(chain, n)
		if n.kid("w:basedOn") == nil {
			break
		}
	}
	return chain
}

// hidden reports whether text is hidden by its run, the run's style or the paragraph's.
func (s styles) hidden(run, paragraph *node) bool {
	if is, set := run.on("w:vanish"); set {
		return is
	}
	var chain []*node
	if id := run.val("w:rStyle"); id != "" {
		chain = s.chain(id)
	}
	for _, n := range append(chain, s.chain(paragraph.val("w:pStyle"))...) {
		if is, set := n.kid("w:rPr").on("w:vanish"); set {
			return is
		}
	}
	return false
}

// outline returns the level of a heading, from 1, or 0.
func (s styles) outline(paragraph *node) int {
	of := []*node{paragraph}
	for _, n := range s.chain(paragraph.val("w:pStyle")) {
		of = append(of, n.kid("w:pPr"))
	}
	for _, n := range of {
		if k := n.kid("w:outlineLvl"); k != nil {
			if i, err := strconv.Atoi(k.attr("w:val")); err == nil && i >= 0 && i < levels {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// numbered returns a paragraph's list and level. The paragraph's own list comes first, then its
// style's. The list says at which level a style stands.
func (s styles) numbered(paragraph *node, all map[string]*instance) (in *instance, at int, ok bool) {
	own := paragraph.kid("w:numPr")
	at, leveled := levelOf(own.val("w:ilvl"))
	if id := own.val("w:numId"); id != "" {
		in = all[id]
		return in, at, in != nil && (leveled || own.kid("w:ilvl") == nil)
	}
	chain := s.chain(paragraph.val("w:pStyle"))
	for _, n := range chain {
		k := n.kid("w:pPr", "w:numPr")
		id := k.val("w:numId")
		if id == "" {
			continue
		}
		if in = all[id]; in == nil {
			return nil, 0, false
		}
		if leveled {
			return in, at, true
		}
		at, _ = levelOf(k.val("w:ilvl"))
		for _, of := range chain {
			if i := slices.IndexFunc(in.levels[:], func(l level) bool { return l.style != "" && l.style == of.attr("w:styleId") }); i >= 0 {
				return in, i, true
			}
		}
		return in, at, true
	}
	return nil, 0, false
}
