package gate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
)

// words returns the name of a path for people.
func words(path string) string { return Words(path) }

// Words returns the name of a field in reasons.
func Words(path string) string {
	switch path {
	case "supplier.name":
		return "supplier's name"
	case "payment_terms.due":
		return "due date"
	}
	if i, field, ok := item(path); ok {
		return fmt.Sprintf("%s of line %d", field, i+1)
	}
	if list, index, ok := strings.Cut(path, "."); ok && entries[list] != "" {
		if i, err := strconv.Atoi(index); err == nil {
			return fmt.Sprintf("%s %d", entries[list], i+1)
		}
	}
	return strings.NewReplacer("_", " ", ".", " ").Replace(path)
}

// entries are the names of an entry of a list.
var entries = map[string]string{"line_items": "line", "taxes": "tax", "charges": "charge", "references": "reference"}

var lineItem = regexp.MustCompile(`^line_items\.(\d+)\.(.+)$`)

func item(path string) (index int, field string, ok bool) {
	m := lineItem.FindStringSubmatch(path)
	if m == nil {
		return 0, "", false
	}
	_, err := fmt.Sscan(m[1], &index)
	return index, strings.ReplaceAll(m[2], "_", " "), err == nil
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// schema checks that the structured data can be parsed again.
func (c *checker) schema() {
	if c.e.Type != "" && !slices.Contains(document.Types, c.e.Type) {
		c.refuse(Schema, "type", "the document type is unknown to Matchbook")
	}
	raw, err := json.Marshal(c.e.Data)
	if err == nil {
		_, err = document.Parse(raw)
	}
	if err != nil {
		c.refuse(Schema, "", "the structured data breaks its schema: %v", err)
	}
	if cur := c.e.Data.Currency; cur != "" && !currency.MatchString(cur) {
		c.refuse(Schema, "currency", "the currency is not a code of three letters")
	}
	for _, path := range c.e.Dropped {
		c.refuse(Grounding, path, "the %s was left out: the quoted text is not in the document", words(path))
	}
}

// trust raises a field's trust. It never lowers it.
func (c *checker) trust(path string, t extraction.Trust) {
	order := []extraction.Trust{extraction.PrintedXML, extraction.XML, extraction.Taught, extraction.Arithmetic, extraction.CheckDigit,
		extraction.Printed, extraction.ByPlace, extraction.ModelAlone}
	f, ok := c.e.Fields[path]
	if !ok || slices.Index(order, f.Trust) >= 0 && slices.Index(order, f.Trust) <= slices.Index(order, t) {
		return
	}
	f.Trust = t
	c.e.Fields[path] = f
}

// taught reports whether a person taught where the value stands.
func (c *checker) taught(path string) bool { return c.e.Fields[path].Trust == extraction.Taught }

func (c *checker) inXML(path string) bool {
	trust := c.e.Fields[path].Trust
	return trust == extraction.XML || trust == extraction.PrintedXML
}
