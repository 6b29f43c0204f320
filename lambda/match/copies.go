package match

import (
	"matchbook/lambda/document"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/warning"

	"github.com/google/uuid"
)

// CopyKinds are the warnings that need no match.
var CopyKinds = []warning.Kind{warning.NumberUsedTwice, warning.BilledTwice, warning.AccountChanged}

// WarningKeys lists the keys of documents to store, by which the later documents of a supplier find
// them: each with its document and its date, as PostgreSQL reads it. Unreadable documents have none.
func WarningKeys(docs []score.Raw) (of []uuid.UUID, keys, dated []string) {
	for _, raw := range docs {
		if d, ok := warned(raw); ok {
			for _, key := range warning.Keys(d) {
				of, keys, dated = append(of, d.ID), append(keys, key), append(dated, warning.Dated(d))
			}
		}
	}
	return of, keys, dated
}

// Copies compares documents with the ones before them, for the warnings of CopyKinds. Add the
// documents' groups first, then the contents of the documents that Contents lists.
type Copies struct {
	groups  map[uuid.UUID][]warning.Group
	warned  map[uuid.UUID]bool
	content map[uuid.UUID]warning.Document
}

// NewCopies returns Copies without documents.
func NewCopies() *Copies {
	return &Copies{map[uuid.UUID][]warning.Group{}, map[uuid.UUID]bool{}, map[uuid.UUID]warning.Document{}}
}

// AddGroup adds the documents before a document under one of its keys. warned reports whether
// the document has warnings now, because they may have to go.
func (c *Copies) AddGroup(id uuid.UUID, g warning.Group, warned bool) {
	c.groups[id] = append(c.groups[id], g)
	c.warned[id] = warned
}

// Contents lists the documents to read.
func (c *Copies) Contents() (ids []uuid.UUID) {
	for id, groups := range c.groups {
		if others := warning.Compared(groups); len(others) > 0 {
			ids = append(append(ids, id), others...)
		}
	}
	return ids
}

// AddContent adds a document's content, unless it's unreadable.
func (c *Copies) AddContent(raw score.Raw) {
	if d, ok := warned(raw); ok {
		c.content[d.ID] = d
	}
}

// Warnings returns the warnings about some documents. They replace all earlier ones.
func (c *Copies) Warnings() (about []uuid.UUID, list []warning.Warning) {
	for id, groups := range c.groups {
		if !c.warned[id] && len(warning.Compared(groups)) == 0 {
			continue
		}
		about = append(about, id)
		if d, ok := c.content[id]; ok {
			list = append(list, warning.Of(d, groups, c.content)...)
		}
	}
	return about, list
}

// warned parses a document; ok is false if it's unreadable.
func warned(raw score.Raw) (d warning.Document, ok bool) {
	data, err := document.Parse([]byte(raw.Data))
	return warning.Document{ID: raw.ID, Type: raw.Type, Data: data}, err == nil
}
