package schema

import "testing"

const found = `{"type":"object","additionalProperties":false,"required":["items"],"properties":{"items":{"type":"array",
	"items":{"type":"object","additionalProperties":false,"required":["kind","page","sure","note"],"properties":{
	"kind":{"type":"string","enum":["a","b"],"description":"its kind"},"page":{"type":"integer"},
	"sure":{"type":"boolean"},"note":{"type":["string","null"]}}}}}}`

func TestReadIsStrict(t *testing.T) {
	t.Parallel()
	s := MustParse([]byte(found))
	item := func(inner string) string { return `{"items":[{` + inner + `}]}` }
	for answer, want := range map[string]bool{
		`{"items":[]}`:   true,
		` {"items":[]} `: true,
		item(`"kind":"a","page":1,"sure":true,"note":null`):          true,
		item(`"note":"x","kind":"b","page":-2,"sure":false`):         true,
		item(`"kind":"c","page":1,"sure":true,"note":null`):          false,
		item(`"kind":null,"page":1,"sure":true,"note":null`):         false,
		item(`"kind":"a","page":1.5,"sure":true,"note":null`):        false,
		item(`"kind":"a","page":"1","sure":true,"note":null`):        false,
		item(`"kind":"a","page":1,"sure":"yes","note":null`):         false,
		item(`"kind":"a","page":1,"sure":true`):                      false,
		item(`"kind":"a","page":1,"sure":true,"note":null,"more":1`): false,
		item(`"Kind":"a","page":1,"sure":true,"note":null`):          false,
		`{"items":null}`:             false,
		`{"items":{}}`:               false,
		`{"items":["a"]}`:            false,
		`{}`:                         false,
		`[]`:                         false,
		`null`:                       false,
		``:                           false,
		`{"items":[]`:                false,
		`{"items":[]} {"items":[]}`:  false,
		`{"items":[]} and more`:      false,
		"```json\n{\"items\":[]}```": false,
	} {
		got, err := s.Read(answer, 1000)
		if (err == nil) != want || (got != nil) != want {
			t.Errorf("%s: got %v, %v, want it to be accepted: %v", answer, got, err, want)
		}
	}
	if _, err := s.Read(`{"items":[]}`, 11); err == nil {
		t.Error("an answer of 12 bytes is accepted where 11 are the limit")
	}
}

func TestMustParseStrict(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"an unknown keyword":     `{"type":"string","maxLength":3}`,
		"no type":                `{"properties":{}}`,
		"more properties":        `{"type":"object","required":[],"properties":{}}`,
		"a property that may be": `{"type":"object","additionalProperties":false,"required":[],"properties":{"a":{"type":"string"}}}`,
		"an array of anything":   `{"type":"array"}`,
		"no schema":              `null`,
		"no JSON":                `{`,
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			MustParse([]byte(raw))
		}()
	}
}
