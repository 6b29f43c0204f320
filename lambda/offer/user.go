package offer

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// User is a user as stored by other programs.
type User struct {
	ID          uuid.UUID
	Tenant      uuid.UUID
	Zone        string // IANA name
	Active      bool
	ActiveAt    *time.Time      // when last seen; nil if unknown
	Profile     json.RawMessage // visible to others
	Preferences json.RawMessage // wishes about others
}
