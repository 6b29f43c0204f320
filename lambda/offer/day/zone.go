package day

import (
	_ "embed" // zones.txt
	"fmt"
	"strings"
	"time"
)

//go:embed zones.txt
var zones string

// Zones returns the names of the IANA time zone database that this version of Go
// embeds, sorted.
func Zones() []string { return strings.Fields(zones) }

// Zone returns the time zone of a name of the IANA database. Names with another
// meaning in a machine's folder of zones, or in Go, are no zones: a date must not
// depend on the machine.
func Zone(name string) (*time.Location, error) {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "", "Local", "localtime", "posixrules", "posix", "right":
		return nil, unknown(name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown(name)
	}
	return zone, nil
}

func unknown(name string) error {
	return fmt.Errorf("%.64q is no time zone such as Europe/Berlin", name)
}
