package ranking

import (
	"cmp"
	"slices"
)

// tree holds the users of one slot and kind, by place. Each node divides its users in the
// middle of the longer side of their box, or by activity if they are all at one place. Users
// without a place have a separate tree.
type tree struct {
	users []int32 // indexes of users; the members of a node are adjacent
	nodes []node  // the first one has all
}

type node struct {
	box         box
	placed      bool
	reach       int64 // the farthest one of the users looks
	idle        int   // the least
	standing    int   // the most
	first, end  int32
	left, right int32 // 0 in a leaf
}

const leafSize = 16

func grow(all []user, members []int32, placed bool) *tree {
	t := &tree{users: members}
	t.add(all, 0, int32(len(members)), placed)
	return t
}

func (t *tree) add(all []user, first, end int32, placed bool) int32 {
	at := int32(len(t.nodes))
	n := node{placed: placed, first: first, end: end}
	n.measure(all, t.users[first:end])
	t.nodes = append(t.nodes, n)
	if end-first <= leafSize {
		return at
	}
	side := n.side()
	slices.SortFunc(t.users[first:end], func(a, b int32) int {
		return cmp.Or(cmp.Compare(side(&all[a]), side(&all[b])), cmp.Compare(a, b))
	})
	middle := (first + end) / 2
	left := t.add(all, first, middle, placed)
	right := t.add(all, middle, end, placed)
	t.nodes[at].left, t.nodes[at].right = left, right
	return at
}

func (n *node) measure(all []user, members []int32) {
	n.box, n.idle = box{all[members[0]].place, all[members[0]].place}, all[members[0]].idle
	n.standing = all[members[0]].standing
	for _, m := range members {
		u := &all[m]
		n.box.low = place{min(n.box.low.lat, u.place.lat), min(n.box.low.lon, u.place.lon)}
		n.box.high = place{max(n.box.high.lat, u.place.lat), max(n.box.high.lon, u.place.lon)}
		n.idle, n.standing = min(n.idle, u.idle), max(n.standing, u.standing)
		n.reach = max(n.reach, u.reach())
	}
}

func (n *node) side() func(*user) int64 {
	lat, lon := n.box.high.lat-n.box.low.lat, n.box.high.lon-n.box.low.lon
	switch {
	case lat == 0 && lon == 0:
		return func(u *user) int64 { return int64(u.idle) }
	case lat >= lon:
		return func(u *user) int64 { return u.place.lat }
	}
	return func(u *user) int64 { return u.place.lon }
}

// bounds returns the best values for from in the node.
func (n *node) bounds(from *user) bounds {
	if !n.placed || !from.placed {
		return bounds{noDistance, n.reach, n.idle, n.standing}
	}
	return bounds{n.box.metres(from.place), n.reach, n.idle, n.standing}
}
