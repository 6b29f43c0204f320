package roster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"matchbook/lambda/failure"
)

// With returns the roster with some users changed or added, as a roster with another name. Changed
// users keep their earlier offers, and added ones must have none.
func (f Frozen) With(changed []Row) (Frozen, error) {
	r, err := f.Thaw()
	if err != nil {
		return f, err
	}
	r.Rows = merged(r.Rows, changed)
	return r.Freeze()
}

func merged(rows, changed []Row) []Row {
	var added []Row
	for _, c := range changed {
		at, found := slices.BinarySearchFunc(rows, c, byID)
		if !found {
			added = append(added, c)
			continue
		}
		c.Shown = rows[at].Shown
		rows[at] = c
	}
	slices.SortFunc(added, byID)
	before, moved := 0, make([]int32, len(rows)) // places
	for i, row := range rows {
		for before < len(added) && byID(added[before], row) < 0 {
			before++
		}
		moved[i] = int32(i + before)
	}
	for _, row := range rows {
		for _, s := range row.Shown {
			for i, place := range s.Users {
				s.Users[i] = moved[place]
			}
		}
	}
	rows = append(rows, added...)
	slices.SortFunc(rows, byID)
	return rows
}

func byID(a, b Row) int { return bytes.Compare(a.ID[:], b.ID[:]) }

// EncodeRows writes changed rows as lines of JSON.
func EncodeRows(rows []Row) ([]byte, error) {
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	to.SetEscapeHTML(false)
	for _, row := range rows {
		row.Profile, row.Preferences, row.Shown = limited(row.Profile), limited(row.Preferences), nil
		if err := to.Encode(row); err != nil {
			return nil, fmt.Errorf("invalid user %s: %w", row.ID, err)
		}
	}
	return lines.Bytes(), nil
}

// DecodeRows reads what EncodeRows wrote. Its error is permanent.
func DecodeRows(content []byte) (rows []Row, err error) {
	for lines := json.NewDecoder(bytes.NewReader(content)); lines.More(); {
		var row Row
		if err := lines.Decode(&row); err != nil {
			return nil, failure.Permanently("changed users of a roster are damaged (%T)", err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Corrected returns changes of a roster in which a user has the profile and the preferences of now.
// All else stays as frozen, in the roster or in the changes.
func (f Frozen) Corrected(changed []Row, now Row) ([]Row, error) {
	r, err := f.Thaw()
	if err != nil {
		return nil, err
	}
	rows := merged(r.Rows, changed)
	at, found := slices.BinarySearchFunc(rows, now, byID)
	if !found {
		return nil, failure.Permanently("user not found in the roster of %s", f.Date)
	}
	corrected := rows[at]
	corrected.Profile, corrected.Preferences, corrected.Version = now.Profile, now.Preferences, now.Version
	changed = slices.DeleteFunc(slices.Clone(changed), func(c Row) bool { return c.ID == now.ID })
	return append(changed, corrected), nil
}
