package record

import "github.com/google/uuid"

// Question is a recorded stage: one question to a model about a chunk, and how it ended.
type Question struct {
	ChunkID uuid.UUID
	Stage   Stage
	Outcome Outcome // empty: under way
	Reason  string  // of a failure; of a Done one, why no question was needed
	Calls   int     // paid calls, of all attempts, like Cost
	Cost    USD
	Dropped int // quotes of the last answer that its chunk doesn't have
}
