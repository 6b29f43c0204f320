package docx

import (
	"strconv"
	"strings"
)

// field is a field being read: its code is followed by its result.
type field struct {
	code bool
	name string
	form *node
}

// fields finds the characters that begin, separate and end a field. One without partners is
// ignored, because otherwise it would hide all text after it.
func (r *reader) fields(n *node) {
	if r.valid == nil {
		r.valid = map[*node]bool{}
	}
	var open [][]*node
	n.below(func(k *node) bool {
		if k.name != "w:fldChar" {
			return true
		}
		switch last := len(open) - 1; k.attr("w:fldCharType") {
		case "begin":
			open = append(open, []*node{k})
		case "separate":
			if last >= 0 {
				open[last] = append(open[last], k)
			}
		case "end":
			if last < 0 {
				break
			}
			for _, of := range append(open[last], k) {
				r.valid[of] = true
			}
			open = open[:last]
		}
		return true
	})
}

func (r *reader) field(k *node, at place) {
	if !r.valid[k] {
		return
	}
	last := len(r.codes) - 1
	switch k.attr("w:fldCharType") {
	case "begin":
		r.codes = append(r.codes, &field{code: true, form: k.kid("w:ffData")})
	case "separate":
		r.codes[last].code = false
	case "end":
		f := r.codes[last]
		r.codes = r.codes[:last]
		if f.code {
			r.emit(f.form.choice(f.name), at)
		}
	}
}

// code keeps the name of a field, the first word of its code.
func (r *reader) code(k *node) {
	if last := len(r.codes) - 1; last >= 0 && r.codes[last].name == "" {
		r.codes[last].name = strings.TrimSpace(plain(k.raw[k.inner:k.outer]))
	}
}

// choice returns the result of a form's field that has none in the text: a box or a list.
func (n *node) choice(name string) string {
	switch {
	case strings.HasPrefix(name, "FORMCHECKBOX"):
		box := n.kid("w:checkBox")
		is, set := box.on("w:checked")
		if !set {
			is, _ = box.on("w:default")
		}
		if is {
			return "☒"
		}
		return "☐"
	case strings.HasPrefix(name, "FORMDROPDOWN"):
		list := n.kid("w:ddList")
		entries := list.all("w:listEntry")
		if i, _ := strconv.Atoi(list.val("w:result")); i >= 0 && i < len(entries) {
			return visible(entries[i].attr("w:val"))
		}
	}
	return ""
}
