package roster_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

var (
	ada   = uuid.MustParse("11111111-0000-4000-8000-000000000001")
	grace = uuid.MustParse("22222222-0000-4000-8000-000000000002")
)

func small(t *testing.T) roster.Roster {
	t.Helper()
	date := must.Get(day.Parse("2026-03-29"))(t)
	key := roster.Key{Tenant: uuid.MustParse("99999999-0000-4000-8000-000000000009"), Date: date, Algorithm: 1}
	return roster.Roster{Key: key, Rows: []roster.Row{
		{ID: ada, Version: 3, Profile: json.RawMessage(`{"kind": "mentor"}`), Active: date - 1},
		{ID: grace, Version: 1, Profile: json.RawMessage(`{}`), Preferences: json.RawMessage(`{"note":"<&>"}`)},
	}}
}

func TestDigestIgnoresRowOrder(t *testing.T) {
	t.Parallel()
	r := small(t)
	slices.Reverse(r.Rows)
	frozen := must.Get(r.Freeze())(t)
	// sha256sum of the three lines that TestContentIsJSONLines shows.
	const want = "3822e0c5a29d916fb63a0770e8d5097af4151c09e014c04ef4661d1baecafa89"
	if got := hex.EncodeToString(frozen.Digest[:]); got != want || frozen.Users != 2 {
		t.Errorf("digest %s of %d users, want %s of 2", got, frozen.Users, want)
	}
	if r.Rows[0].ID != grace {
		t.Error("freezing changed the order of the caller's rows")
	}
}

func TestContentIsJSONLines(t *testing.T) {
	t.Parallel()
	frozen := must.Get(small(t).Freeze())(t)
	unpacked := must.Get(gzip.NewReader(bytes.NewReader(frozen.Content)))(t)
	var got bytes.Buffer
	must.Get(got.ReadFrom(unpacked))(t)
	want := `{"tenant":"99999999-0000-4000-8000-000000000009","date":"2026-03-29","algorithm":1}
{"id":"11111111-0000-4000-8000-000000000001","version":3,"profile":{"kind":"mentor"},` +
		`"preferences":null,"active":"2026-03-28"}
{"id":"22222222-0000-4000-8000-000000000002","version":1,"profile":{},` +
		`"preferences":{"note":"<&>"},"active":"1970-01-01"}
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestFreezeThawRoundTrip(t *testing.T) {
	t.Parallel()
	frozen := must.Get(small(t).Freeze())(t)
	got := must.Get(frozen.Thaw())(t)
	again := must.Get(got.Freeze())(t)
	if again.Digest != frozen.Digest || got.Key != frozen.Key || len(got.Rows) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestDamagedIsPermanent(t *testing.T) {
	t.Parallel()
	whole := must.Get(small(t).Freeze())(t)
	other := small(t)
	other.Rows[0].Version++
	changed := must.Get(other.Freeze())(t)
	for name, damage := range map[string]func(*roster.Frozen){
		"other digest":   func(f *roster.Frozen) { f.Digest[0]++ },
		"other content":  func(f *roster.Frozen) { f.Content = changed.Content },
		"cut off":        func(f *roster.Frozen) { f.Content = f.Content[:len(f.Content)-9] },
		"empty":          func(f *roster.Frozen) { f.Content = nil },
		"other date":     func(f *roster.Frozen) { f.Date++ },
		"fewer users":    func(f *roster.Frozen) { f.Users-- },
		"negative users": func(f *roster.Frozen) { f.Users = -1 },
	} {
		f := whole
		damage(&f)
		if _, err := f.Thaw(); !permanent(err) {
			t.Errorf("%s: error %v, want a permanent one", name, err)
		}
	}
}

func TestDuplicateUser(t *testing.T) {
	t.Parallel()
	r := small(t)
	r.Rows[1].ID = r.Rows[0].ID
	if _, err := r.Freeze(); !permanent(err) {
		t.Errorf("error %v, want a permanent one", err)
	}
}

func permanent(err error) bool {
	var classified *failure.Error
	return errors.As(err, &classified) && classified.Kind == failure.Permanent
}

func TestPersonHasAllFields(t *testing.T) {
	t.Parallel()
	got := must.Get(roster.Row{ID: ada, Active: 20_000,
		Profile: json.RawMessage(`{"kind": "mentor", "born": 1985, "place": {"lat": "52.51639", "lon": -13.4},
			"languages": ["en", "de", "en"], "interests": ["go", "chess"], "shoe_size": {"eu": 44}}`),
		Preferences: json.RawMessage(`{"kinds": ["mentee"], "age": {"min": 18, "max": 30}, "max_km": 50,
			"languages": ["de"], "interests": {"go": 10, "art": 0}, "weights": {"distance": 2, "activity": 0}}`),
	}.Person(roster.Strict))(t)
	want := roster.Person{ID: ada, Active: 20_000, Kind: "mentor", Born: 1985,
		Place:     &roster.Place{Lat: 525_163, Lon: -134_000},
		Languages: []string{"de", "en"}, Interests: []string{"chess", "go"},
		Wants: roster.Wants{Kinds: []string{"mentee"}, Age: roster.Ages{Min: 18, Max: 30}, MaxKM: 50,
			Languages: []string{"de"}, Interests: []roster.Weight{{Name: "art"}, {Name: "go", Weight: 10}}, Distance: 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFieldsAreOptional(t *testing.T) {
	t.Parallel()
	for raw, wishes := range map[string]string{``: ``, `null`: `null`, `{}`: `{}`,
		`{"kind":null,"born":null,"place":null,"languages":null,"interests":null}`: `{"kinds":null,"age":null,"max_km":null,"languages":null,"interests":null,"weights":null}`} {
		got, err := roster.Row{ID: ada, Profile: json.RawMessage(raw), Preferences: json.RawMessage(wishes)}.Person(roster.Strict)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got.Place != nil || got.Wants.Distance != 5 || got.Wants.Activity != 5 || got.Wants.MaxKM != 0 {
			t.Errorf("%s: got %+v", raw, got)
		}
	}
}

func TestErrorsHideValues(t *testing.T) {
	t.Parallel()
	const secret = "Sesame"
	list := func(n int) string {
		return `["` + strings.Join(strings.Split(strings.Repeat("ab,", n), ","), `","`) + `x"]`
	}
	for _, tc := range []struct{ profile, preferences, field string }{
		{`"Sesame"`, ``, "JSON object"},
		{`["Sesame"]`, ``, "JSON object"},
		{`{"Sesame"`, ``, "invalid JSON"},
		{`{"kind": {"a": "Sesame"}}`, ``, "kind"},
		{`{"kind": ""}`, ``, "kind"},
		{`{"kind": "` + strings.Repeat("Sesame", 11) + `"}`, ``, "kind"},
		{`{"born": "Sesame"}`, ``, "born"},
		{`{"born": 1985.5}`, ``, "born"},
		{`{"born": 1899}`, ``, "born"},
		{`{"born": 99999999999999999999}`, ``, "born"},
		{`{"place": {"lat": 52}}`, ``, "place"},
		{`{"place": {"lat": "Sesame", "lon": 1}}`, ``, "place.lat"},
		{`{"place": {"lat": 90.0001, "lon": 1}}`, ``, "place.lat"},
		{`{"place": {"lat": 1, "lon": -180.0001}}`, ``, "place.lon"},
		{`{"place": {"lat": 1, "lon": 1e1}}`, ``, "place.lon"},
		{`{"place": {"lat": 1, "lon": "1.23456x"}}`, ``, "place.lon"},
		{`{"place": {"lat": 1, "lon": "--1"}}`, ``, "place.lon"},
		{`{"place": {"lat": 1, "lon": 100000000000000000000000}}`, ``, "place.lon"},
		{`{"languages": "Sesame"}`, ``, "languages"},
		{`{"languages": [null]}`, ``, "languages"},
		{`{"interests": ` + list(50) + `}`, ``, "interests"},
		{`{"about": "` + strings.Repeat(secret, 2000) + `"}`, ``, "8192 bytes"},
		{``, `{"kinds": [1]}`, "kinds"},
		{``, `{"age": {"min": 31, "max": 30}}`, "age"},
		{``, `{"age": {"min": -1}}`, "age"},
		{``, `{"age": [18, 30]}`, "age"},
		{``, `{"max_km": 0}`, "max_km"},
		{``, `{"max_km": 20101}`, "max_km"},
		{``, `{"languages": {}}`, "languages"},
		{``, `{"interests": {"Sesame": 11}}`, "interests"},
		{``, `{"interests": {"": 1}}`, "interests"},
		{``, `{"weights": {"distance": 11}}`, "weights.distance"},
		{``, `{"weights": {"activity": -1}}`, "weights.activity"},
		{``, `{"about": "` + strings.Repeat(secret, 2000) + `"}`, "8192 bytes"},
	} {
		row := roster.Row{ID: ada, Profile: json.RawMessage(tc.profile), Preferences: json.RawMessage(tc.preferences)}
		_, err := row.Person(roster.Strict)
		what := "profile"
		if tc.profile == "" {
			what = "preferences"
		}
		if !permanent(err) || !strings.Contains(err.Error(), tc.field) || !strings.Contains(err.Error(), what) ||
			strings.Contains(err.Error(), secret) {
			t.Errorf("%.60s%.60s: error %v, want a permanent one that names %s of the %s",
				tc.profile, tc.preferences, err, tc.field, what)
		}
	}
}

func TestTooLongStaysTooLong(t *testing.T) {
	t.Parallel()
	r := small(t)
	r.Rows[0].Profile = json.RawMessage(`{"about":"` + strings.Repeat("<", roster.MaxBytes) + `"}`)
	r.Rows[1].Profile = json.RawMessage(`{"about":"` + strings.Repeat("<", roster.MaxBytes-20) + `"}`)
	frozen := must.Get(r.Freeze())(t)
	thawed := must.Get(frozen.Thaw())(t)
	if _, err := thawed.Rows[0].Person(roster.Strict); !permanent(err) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("error %v, want one about the length", err)
	}
	if _, err := thawed.Rows[1].Person(roster.Lenient); err != nil {
		t.Errorf("the longest profile that is kept: %v", err)
	}
}

func FuzzPersonReadsAnything(f *testing.F) {
	f.Add([]byte(`{"place":{"lat":"52.5","lon":13}}`), []byte(`{"interests":{"go":3}}`))
	f.Fuzz(func(t *testing.T, profile, preferences []byte) {
		p, err := roster.Row{Profile: profile, Preferences: preferences}.Person(roster.Strict)
		if err != nil && !permanent(err) {
			t.Errorf("error %v, want a permanent one", err)
		}
		if p.Place != nil && (max(p.Place.Lat, -p.Place.Lat) > 900_000 || max(p.Place.Lon, -p.Place.Lon) > 1_800_000) {
			t.Errorf("place %+v is nowhere", *p.Place)
		}
	})
}

func BenchmarkFreezeAndThaw(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	r := roster.Roster{Key: roster.Key{Date: 20_000, Algorithm: 1}}
	for range 100_000 {
		var id uuid.UUID
		for i := range id {
			id[i] = byte(random.Uint32())
		}
		r.Rows = append(r.Rows, roster.Row{ID: id, Version: 1, Active: 19_990,
			Profile: json.RawMessage(`{"born": 1985, "kind": "mentor", "place": {"lat": 52.5163, "lon": 13.3777},` +
				` "interests": ["chess", "cooking", "football", "go", "hiking"], "languages": ["de", "en"]}`),
			Preferences: json.RawMessage(`{"age": {"max": 60, "min": 18}, "kinds": ["mentee"], "max_km": 50,` +
				` "interests": {"chess": 3, "go": 10, "hiking": 5}, "languages": ["de"]}`)})
	}
	for b.Loop() {
		frozen := must.Get(r.Freeze())(b)
		b.ReportMetric(float64(len(frozen.Content)), "bytes")
		must.Get(frozen.Thaw())(b)
	}
}
