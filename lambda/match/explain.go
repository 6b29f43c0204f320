package match

import "slices"

// Of scores two documents as the store has them.
func Of(a, b Raw) (Scored, error) {
	x, err := Read(a)
	if err != nil {
		return Scored{}, err
	}
	y, err := Read(b)
	if err != nil {
		return Scored{}, err
	}
	return x.Score(y), nil
}

// Lookup lists the keys that a document's candidates are looked up by.
func Lookup(raw Raw) ([]string, error) {
	d, err := Read(raw)
	if err != nil {
		return nil, err
	}
	_, lookup := d.keys()
	return lookup, nil
}

// CommonKeys lists the keys that make two documents candidates of each other;
// none if they are not.
func CommonKeys(a, b Raw) (common []string, err error) {
	x, err := Read(a)
	if err != nil {
		return nil, err
	}
	lookup, err := Lookup(b)
	if err != nil || !mayMatch(a.Type, b.Type) {
		return nil, err
	}
	keys, _ := x.keys()
	for _, key := range keys {
		if _, ok := slices.BinarySearch(lookup, key); ok {
			common = append(common, key)
		}
	}
	return common, nil
}
