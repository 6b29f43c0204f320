// Package simulate lets a year of match offers pass in minutes: the real scheduler,
// runtime and ranking, over a store in memory, a queue that is as bad as a queue may
// be, processes that die, users who travel, and outages. Time is simulated. It
// examines each promise by records of its own, and draws the year as a page.
package simulate
