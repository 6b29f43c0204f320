package roster_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Places in earlier offers move with the users who are added before them.
func TestChangedRoster(t *testing.T) {
	t.Parallel()
	r := small(t)
	r.Rows[0].Shown = []roster.Shown{{Ago: 7, Users: []int32{1}}}
	r.Rows[1].Shown = []roster.Shown{{Ago: 7, Users: []int32{0}}, {Ago: 14, Users: []int32{0}}}
	first := must.Get(r.Freeze())(t)
	before, between := uuid.UUID{15: 1}, uuid.MustParse("11111111-0000-4000-8000-000000000002")
	corrected := roster.Row{ID: grace, Version: 2, Profile: json.RawMessage(`{"kind":"mentee"}`), Preferences: json.RawMessage(`{}`)}
	none := json.RawMessage(`{}`)
	changed := []roster.Row{corrected, {ID: between, Profile: none, Preferences: none}, {ID: before, Profile: none, Preferences: none}}
	lines := must.Get(roster.EncodeRows(changed))(t)
	stored := must.Get(roster.DecodeRows(lines))(t)
	other := must.Get(first.With(stored))(t)
	got := must.Get(other.Thaw())(t)
	ada3 := r.Rows[0]
	ada3.Profile, ada3.Preferences = json.RawMessage(`{"kind":"mentor"}`), json.RawMessage("null")
	ada3.Shown = []roster.Shown{{Ago: 7, Users: []int32{3}}}
	corrected.Shown = []roster.Shown{{Ago: 7, Users: []int32{1}}, {Ago: 14, Users: []int32{1}}}
	if want := []roster.Row{changed[2], ada3, changed[1], corrected}; !reflect.DeepEqual(got.Rows, want) {
		t.Errorf("got  %s\nwant %s", encode(got.Rows), encode(want))
	}
	if got.Key != r.Key || other.Digest == first.Digest || must.Get(first.With(changed))(t).Digest != other.Digest {
		t.Error("want another name, and the same for the rows as stored")
	}
	if must.Get(first.With(nil))(t).Digest != first.Digest {
		t.Error("want the same name without a change")
	}
	if _, err := roster.DecodeRows(lines[:len(lines)-9]); err == nil {
		t.Error("damaged rows were read")
	}
}

func encode(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
