package inbox

import (
	"encoding/json"
	"net/url"
	"strings"
)

// file is a version of a file, as an event names it.
type file struct{ key, version string }

// event is the part of S3's events that matters. A key in it is escaped as in a
// query: a space is a plus sign.
type event struct {
	Event   string // of the message that S3 sends when the notification is set up
	Records []struct {
		EventName string
		S3        struct {
			Object struct{ Key, VersionID string }
		}
	}
}

// read returns the files that were created; ok is false for a body that is no
// event of S3.
func read(body string) (files []file, ok bool) {
	var e event
	if json.Unmarshal([]byte(body), &e) != nil || e.Event != "s3:TestEvent" && len(e.Records) == 0 {
		return nil, false
	}
	for _, r := range e.Records {
		key, err := url.QueryUnescape(r.S3.Object.Key)
		if err != nil || key == "" {
			return nil, false
		}
		if strings.HasPrefix(strings.TrimPrefix(r.EventName, "s3:"), "ObjectCreated:") {
			files = append(files, file{key, r.S3.Object.VersionID})
		}
	}
	return files, true
}
