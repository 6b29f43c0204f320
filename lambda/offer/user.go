package offer

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// User is a user as other programs store one.
type User struct {
	ID          uuid.UUID
	Tenant      uuid.UUID
	Zone        string // a name of the IANA database
	Active      bool
	ActiveAt    *time.Time      // when the user was last seen; nil: unknown
	Profile     json.RawMessage // what others see of the user
	Preferences json.RawMessage // what the user looks for
}
