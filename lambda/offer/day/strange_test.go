package day

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// offset is the difference from UTC from an instant on.
type offset struct {
	from    time.Time
	seconds int
}

// strange builds a zone as a file of the time zone database: before is its offset
// until the first change.
func strange(t *testing.T, before time.Duration, changes ...offset) *time.Location {
	t.Helper()
	var times, indexes, types bytes.Buffer
	add := func(seconds int) {
		binary.Write(&types, binary.BigEndian, int32(seconds)) //nolint:errcheck // a Buffer
		types.Write([]byte{0, 0})                              // no daylight saving time; the name at 0
	}
	add(int(before / time.Second))
	for i, c := range changes {
		binary.Write(&times, binary.BigEndian, c.from.Unix()) //nolint:errcheck // a Buffer
		indexes.WriteByte(byte(i + 1))
		add(c.seconds)
	}
	const name = "ODD\x00"
	header := func(times, types, chars int) []byte {
		h := append([]byte("TZif2"), make([]byte, 15+4*3)...)
		for _, n := range []int{times, types, chars} {
			h = binary.BigEndian.AppendUint32(h, uint32(n))
		}
		return h
	}
	// The first block, with times of 32 bits, is empty; Go reads the second one.
	file := append(header(0, 0, 0), header(len(changes), len(changes)+1, len(name))...)
	file = append(file, times.Bytes()...)
	file = append(file, indexes.Bytes()...)
	file = append(file, types.Bytes()...)
	file = append(file, name+"\n\n"...)
	return must.Get(time.LoadLocationFromTZData("Strange/Zone", file))(t)
}

func hours(h float64) int { return int(h * 3600) }

// No zone has its change of clocks in the morning today; a law can change that.
func TestDueAtClockChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		before  time.Duration
		changes []offset
		want    map[string]string // by date; "" is never
	}{
		{"nine is skipped: 8:30 becomes 9:30", 0, []offset{{at(t, "2026-05-01T08:30Z"), hours(1)}},
			map[string]string{"2026-04-30": "2026-04-30T09:00Z", "2026-05-01": "2026-05-01T08:30Z",
				"2026-05-02": "2026-05-02T08:00Z"}},
		{"nine is the end of the gap", 0, []offset{{at(t, "2026-05-01T08:00Z"), hours(1)}},
			map[string]string{"2026-05-01": "2026-05-01T08:00Z"}},
		{"nine is the beginning of the gap", 0, []offset{{at(t, "2026-05-01T09:00Z"), hours(1)}},
			map[string]string{"2026-05-01": "2026-05-01T09:00Z"}},
		{"8:59 becomes 9:59", 0, []offset{{at(t, "2026-05-01T08:59Z"), hours(1)}},
			map[string]string{"2026-05-01": "2026-05-01T08:59Z", "2026-05-02": "2026-05-02T08:00Z"}},
		{"8:59 becomes 7:59", 0, []offset{{at(t, "2026-05-01T08:59Z"), hours(-1)}},
			map[string]string{"2026-05-01": "2026-05-01T10:00Z", "2026-05-02": "2026-05-02T10:00Z"}},
		{"nine exists twice: 9:30 becomes 8:30", 0, []offset{{at(t, "2026-05-01T09:30Z"), hours(-1)}},
			map[string]string{"2026-05-01": "2026-05-01T09:00Z", "2026-05-02": "2026-05-02T10:00Z"}},
		{"ten becomes nine", 0, []offset{{at(t, "2026-05-01T10:00Z"), hours(-1)}},
			map[string]string{"2026-05-01": "2026-05-01T09:00Z"}},
		{"9:00 becomes 8:00", 0, []offset{{at(t, "2026-05-01T09:00Z"), hours(-1)}},
			map[string]string{"2026-05-01": "2026-05-01T10:00Z"}},
		{"9:10 becomes 8:40, by half an hour", 5*time.Hour + 30*time.Minute,
			[]offset{{at(t, "2026-05-01T03:40Z"), hours(5)}},
			map[string]string{"2026-05-01": "2026-05-01T03:30Z", "2026-05-02": "2026-05-02T04:00Z"}},
		{"two changes in one morning", 0,
			[]offset{{at(t, "2026-05-01T08:30Z"), hours(-1)}, {at(t, "2026-05-01T09:15Z"), hours(2)}},
			map[string]string{"2026-05-01": "2026-05-01T09:15Z", "2026-05-02": "2026-05-02T07:00Z"}},
		{"a date ends before nine, by a flight of the whole zone", -11 * time.Hour,
			[]offset{{at(t, "2026-05-01T19:30Z"), hours(13)}}, // 8:30 on the 1st becomes 8:30 on the 2nd
			map[string]string{"2026-04-30": "2026-04-30T20:00Z", "2026-05-01": "", "2026-05-02": "2026-05-01T20:00Z"}},
		{"a date begins in the afternoon", -11 * time.Hour,
			[]offset{{at(t, "2026-05-01T07:00Z"), hours(13)}}, // 20:00 on the 30th becomes 20:00 on the 1st
			map[string]string{"2026-04-30": "2026-04-30T20:00Z", "2026-05-01": "2026-05-01T07:00Z",
				"2026-05-02": "2026-05-01T20:00Z"}},
		{"a date is lived twice", 13 * time.Hour,
			[]offset{{at(t, "2026-05-01T11:00Z"), hours(-11)}}, // the end of the 1st becomes its beginning
			map[string]string{"2026-05-01": "2026-04-30T20:00Z", "2026-05-02": "2026-05-02T20:00Z"}},
		{"clocks of a second", 0, []offset{{at(t, "2026-05-01T08:59:59Z"), 1}},
			map[string]string{"2026-05-01": "2026-05-01T08:59:59Z", "2026-05-02": "2026-05-02T08:59:59Z"}},
	} {
		zone := strange(t, c.before, c.changes...)
		for d, want := range c.want {
			got, ok := Due(date(t, d), zone)
			switch {
			case !ok && want != "":
				t.Errorf("%s: %s is never due, want %s", c.name, d, want)
			case ok && (want == "" || !got.Equal(at(t, want))):
				t.Errorf("%s: %s is due %s, want %q", c.name, d, got.Format(time.RFC3339), want)
			}
		}
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	westward := strange(t, 13*time.Hour, offset{at(t, "2026-05-01T11:00Z"), hours(-11)})
	for _, c := range []struct {
		zone      *time.Location
		now, want string
	}{
		{time.UTC, "2026-03-29T08:59:59Z", "2026-03-28"},
		{time.UTC, "2026-03-29T09:00Z", "2026-03-29"},
		{zone(t, "Asia/Kathmandu"), "2026-03-29T03:14:59Z", "2026-03-28"},
		{zone(t, "Asia/Kathmandu"), "2026-03-29T03:15Z", "2026-03-29"},
		{zone(t, "Pacific/Kiritimati"), "2026-03-28T19:00Z", "2026-03-29"},
		{zone(t, "Etc/GMT+12"), "2026-03-29T20:59:59Z", "2026-03-28"},
		{zone(t, "Pacific/Apia"), "2011-12-30T18:59:59Z", "2011-12-29"}, // there is no 30th
		{zone(t, "Pacific/Apia"), "2011-12-30T19:00Z", "2011-12-31"},
		{westward, "2026-05-01T12:00Z", "2026-05-01"}, // one o'clock in the morning of its second 1st of May
		{westward, "2026-05-02T19:59:59Z", "2026-05-01"},
		// Ten o'clock of the 2nd becomes ten o'clock of the 1st.
		{strange(t, 13*time.Hour, offset{at(t, "2026-05-01T21:00Z"), hours(-11)}), "2026-05-01T22:00Z", "2026-05-02"},
	} {
		if got, ok := (Rule{At: Nine}).Latest(at(t, c.now), c.zone); !ok || got != date(t, c.want) {
			t.Errorf("at %s in %s the latest due date is %s, %v, want %s", c.now, c.zone, got, ok, c.want)
		}
	}
}
