package roster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/offer/roster"
)

// What was meant as a wish and can't be read shuts the user out, and the reason names the field
// or the key that was probably meant. The frozen rosters of earlier versions stay readable.
func TestMalformedWishes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		preferences, want string
		before            bool // an error by versions 1 and 2, too
	}{
		// A key that is misspelt, of another language or in another place.
		{`{"maxkm": 5}`, "did you mean max_km?", false},
		{`{"max_Km": 5}`, "did you mean max_km?", false},
		{`{"MAX_KM": 5}`, "did you mean max_km?", false},
		{`{"max-km": 5}`, "did you mean max_km?", false},
		{`{"max km": 5}`, "did you mean max_km?", false},
		{`{" max_km": 5}`, "did you mean max_km?", false},
		{`{"max_kn": 5}`, "did you mean max_km?", false},
		{`{"max_miles": 5}`, "expected age, interests, kinds, languages, max_km, weights", false},
		{`{"distance": 5}`, "expected age", false},
		{`{"km": 5}`, "expected age", false},
		{`{"ages": {"min": 30, "max": 40}}`, "did you mean age?", false},
		{`{"Age": {"min": 30, "max": 40}}`, "did you mean age?", false},
		{`{"agee": {"min": 30}}`, "did you mean age?", false},
		{`{"min_age": 30}`, "expected age", false},
		{`{"alter": {"min": 30}}`, "expected age", false},
		{`{"age": {"mn": 30}}`, "age has an unknown key: did you mean min?", false},
		{`{"age": {"Max": 30}}`, "age has an unknown key: did you mean max?", false},
		{`{"age": {"from": 30, "to": 40}}`, "age has an unknown key: expected max, min", false},
		{`{"age": {"min": 30, "max": 40, "step": 1}}`, "age has an unknown key: expected max, min", false},
		{`{"kind": ["mentee"]}`, "did you mean kinds?", false},
		{`{"Kinds": ["mentee"]}`, "did you mean kinds?", false},
		{`{"kimds": ["mentee"]}`, "did you mean kinds?", false},
		{`{"type": ["mentee"]}`, "expected age", false},
		{`{"language": ["de"]}`, "did you mean languages?", false},
		{`{"lang_uages": ["de"]}`, "did you mean languages?", false},
		{`{"lagnuages": ["de"]}`, "did you mean languages?", false},
		{`{"LANGUAGES": ["de"]}`, "did you mean languages?", false},
		{`{"lang": ["de"]}`, "expected age", false},
		{`{"interest": {"go": 3}}`, "did you mean interests?", false},
		{`{"Interests": {"go": 3}}`, "did you mean interests?", false},
		{`{"weight": {"distance": 3}}`, "did you mean weights?", false},
		{`{"weights": {"distanz": 3}}`, "weights has an unknown key: did you mean distance?", false},
		{`{"weights": {"Activity": 3}}`, "weights has an unknown key: did you mean activity?", false},
		{`{"weights": {"language": 3}}`, "weights has an unknown key: expected activity, distance", false},
		// Wishes one level too deep or too high.
		{`{"wants": {"max_km": 5}}`, "expected age", false},
		{`{"preferences": {"age": {"min": 30}}}`, "expected age", false},
		{`{"age": {"max_km": 5}}`, "age has an unknown key", false},
		{`{"min": 30, "max": 40}`, "expected age", false},
		// Twice.
		{`{"max_km": 5, "max_km": 500}`, "has a key twice", false},
		{`{"age": {"min": 30, "min": 3}}`, "age has a key twice", false},
		{`{"kinds": ["a"], "kinds": []}`, "has a key twice", false},
		{`{"interests": {"go": 1, "go": 9}}`, "interests has a key twice", false},
		// Another type.
		{`{"max_km": "5"}`, "max_km must be a whole number", true},
		{`{"max_km": 7.5}`, "max_km must be a whole number", true},
		{`{"max_km": [5]}`, "max_km must be a whole number", true},
		{`{"max_km": true}`, "max_km must be a whole number", true},
		{`{"max_km": {"km": 5}}`, "max_km must be a whole number", true},
		{`{"max_km": 0}`, "max_km must be from 1", true},
		{`{"max_km": -5}`, "max_km must be from 1", true},
		{`{"max_km": 1e3}`, "max_km must be a whole number", true},
		{`{"age": 35}`, "age must be an object", true},
		{`{"age": "30-40"}`, "age must be an object", true},
		{`{"age": [30, 40]}`, "age must be an object", true},
		{`{"age": {"min": "30"}}`, "age.min must be a whole number", true},
		{`{"age": {"min": 30.5}}`, "age.min must be a whole number", true},
		{`{"age": {"min": 40, "max": 30}}`, "age.max must not be below age.min", true},
		{`{"age": {"max": 151}}`, "age must be from 0 to 150", true},
		{`{"kinds": "mentee"}`, "kinds must be a list", true},
		{`{"kinds": {"mentee": true}}`, "kinds must be a list", true},
		{`{"kinds": [["mentee"]]}`, "kinds must be text", true},
		{`{"kinds": [1]}`, "kinds must be text", true},
		{`{"kinds": [""]}`, "kinds must have names", true},
		{`{"languages": "de"}`, "languages must be a list", true},
		{`{"languages": [null]}`, "languages must have names", true},
		{`{"interests": ["go"]}`, "interests must be an object", true},
		{`{"interests": {"go": "much"}}`, "interests must be a whole number", true},
		{`{"weights": 3}`, "weights must be an object", true},
		{`{"weights": {"distance": 2.5}}`, "weights.distance must be a whole number", true},
		// No JSON, or none that PostgreSQL stores.
		{`{"max_km": NaN}`, "max_km has invalid JSON", true},
		{`{"age": {"min": Infinity}}`, "age.min has invalid JSON", true},
		{`{"kinds": ["a\u0000"]}`, "kinds must not contain a NUL", false},
		{`{"languages": ["\ud800"]}`, "languages must not contain a NUL or a broken character", false},
		{`{"interests": {"\u0000": 3}}`, "interests must not contain a NUL", false},
		{`{"max_km": 5`, "has invalid JSON", true},
	} {
		row := roster.Row{ID: ada, Preferences: json.RawMessage(tc.preferences)}
		_, err := row.Person(roster.Strict)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "unreadable preferences of the user: ") || !permanent(err) {
			t.Errorf("%s: error %v, want %s", tc.preferences, err, tc.want)
		}
		if _, err := row.Person(roster.Lenient); (err != nil) != tc.before {
			t.Errorf("%s: error %v by an earlier version", tc.preferences, err)
		}
	}
}

// Other programs keep more in a profile than Matchbook reads, so that only misspelt keys are
// wrong there: a place that isn't read would pass every limit of distance.
func TestMalformedProfiles(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{
		`{"plcae": {"lat": 1, "lon": 1}}`:        "did you mean place?",
		`{"Place": {"lat": 1, "lon": 1}}`:        "did you mean place?",
		`{"place": {"lat": 1, "lng": 1}}`:        "place is missing lat or lon",
		`{"born": 1985.5}`:                       "born must be a whole number",
		`{"place": {"lat": "x", "lon": 1}}`:      "place.lat must be decimal degrees",
		`{"born": 1985, "born": 2012}`:           "has a key twice",
		"\ufeff" + `{"born": 1985, "bio": "\n"}`: "",
		`{"name": "Ada", "notes": {"lat": 1}}`:   "",
	} {
		_, err := roster.Row{ID: ada, Profile: json.RawMessage(profile)}.Person(roster.Strict)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", profile, err, want)
		}
	}
}
