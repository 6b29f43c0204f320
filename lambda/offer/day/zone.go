package day

import (
	_ "embed" // zones.txt
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"
)

//go:embed zones.txt
var zones string

// Zones returns the names of the IANA time zone database embedded in this version of Go,
// sorted.
func Zones() []string { return strings.Fields(zones) }

// loaded keeps zones by name, because each is a file.
var loaded sync.Map

// Zone returns the time zone of a name of the IANA database. It refuses names with another
// meaning in Go or in a machine's folder of zones, because a date must not depend on the
// machine.
func Zone(name string) (*time.Location, error) {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "", "Local", "localtime", "posixrules", "posix", "right":
		return nil, unknown(name)
	}
	if zone, ok := loaded.Load(name); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown(name)
	}
	loaded.Store(name, zone)
	return zone, nil
}

func unknown(name string) error {
	return fmt.Errorf("unknown time zone %.64q: must be such as Europe/Berlin", name)
}

// Embedded is the version of the IANA database in this version of Go (time/tzdata).
const Embedded = "2025c"

// folders are the places package time tries first.
var folders = []string{"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/locale/TZ/", "/etc/zoneinfo/"}

// Source returns the source of time zones on a machine with these files: a folder of the
// machine, or the embedded database. Note that ZONEINFO may name another one.
func Source(stat func(name string) (fs.FileInfo, error)) string {
	for _, folder := range folders {
		if _, err := stat(folder + "Europe/Berlin"); err == nil {
			return folder
		}
	}
	return "time/tzdata, version " + Embedded
}
