package postgres_test

import "time"

// stuck bounds what must happen: no machine is so slow.
const stuck = 9 * time.Minute
