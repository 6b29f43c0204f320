package cost

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
)

var (
	//go:embed prices.json
	builtInPrices []byte
	//go:embed measured.json
	builtInMeasured []byte
)

// Price is a price in USD, with its date and its source.
type Price struct {
	USD    float64 `json:"usd"`
	Per    string  `json:"per"`
	Date   string  `json:"date"`
	Source string  `json:"source"`
}

// Prices are the prices of AWS in one region.
type Prices struct {
	Region         string `json:"region"`
	Note           string `json:"note"`
	LambdaRequests Price  `json:"lambda_requests"`
	LambdaGBSecond Price  `json:"lambda_gb_second_arm64"`
	SQSRequests    Price  `json:"sqs_requests"`
	AuroraACUHour  Price  `json:"aurora_acu_hour"`
	AuroraStorage  Price  `json:"aurora_gb_month"`
	AuroraIO       Price  `json:"aurora_io_requests"`
	LogsIngested   Price  `json:"logs_gb_ingested"`
	LogsStored     Price  `json:"logs_gb_month"`
	Metric         Price  `json:"custom_metric_month"`
	Alarm          Price  `json:"alarm_month"`
	Dashboard      Price  `json:"dashboard_month"`
	Secret         Price  `json:"secret_month"`
	Key            Price  `json:"kms_key_month"`
	Schedule       Price  `json:"scheduler_invocations"`
	NATHour        Price  `json:"nat_gateway_hour"`
	NATGB          Price  `json:"nat_gateway_gb"`
	AddressHour    Price  `json:"public_ipv4_hour"`
	TextractPages  Price  `json:"textract_pages"`
}

// Figure is a number that the plan rests on. From is its origin, and begins with
// "measured", "counted" or "assumed".
type Figure struct {
	Value float64 `json:"value"`
	From  string  `json:"from"`
}

// Measured are the needs of a document. Bytes are bytes, MS are milliseconds, GB
// are 10^9 bytes.
type Measured struct {
	Date    string `json:"date"`
	Machine string `json:"machine"`

	// The function.
	ProcessorMS   Figure `json:"processor_ms_per_document"`
	CoreSpeed     Figure `json:"core_speed"`
	Trips         Figure `json:"round_trips_of_a_document_alone"`
	TurnTrips     Figure `json:"round_trips_of_a_turn"`
	QuestionTrips Figure `json:"further_round_trips_of_a_question"`
	RoundTripMS   Figure `json:"round_trip_ms"`
	SweepMS       Figure `json:"sweep_ms"`

	// Messages.
	RepeatsPerQuestion Figure `json:"repeated_messages_per_question"`
	RetriesPerDocument Figure `json:"retries_per_document"`
	Pollers            Figure `json:"pollers"`
	PollSeconds        Figure `json:"poll_seconds"`

	// The database.
	ExecutionMS    Figure `json:"execution_ms_per_delivery"`
	StoredBytes    Figure `json:"stored_bytes_per_document"`
	WALBytes       Figure `json:"wal_bytes_per_delivery"`
	Blocks         Figure `json:"blocks_touched_per_delivery"`
	MissedShare    Figure `json:"share_of_blocks_not_in_memory"`
	CoresPerACU    Figure `json:"cores_per_acu"`
	Busy           Figure `json:"database_utilisation"`
	BusyHours      Figure `json:"busy_hours_a_month"`
	HotDays        Figure `json:"days_of_documents_in_memory"`
	MinACU         Figure `json:"aurora_min_acu"`
	NATBytes       Figure `json:"nat_bytes_per_delivery"`
	NATCount       Figure `json:"nat_gateways"`
	PublicAddress  Figure `json:"public_addresses"`
	LogBytes       Figure `json:"log_bytes_per_delivery"`
	LogBytesBatch  Figure `json:"log_bytes_per_invocation"`
	LogBytesSweep  Figure `json:"log_bytes_per_sweep"`
	LogMonths      Figure `json:"log_months_kept"`
	Metrics        Figure `json:"metrics"`
	Alarms         Figure `json:"alarms"`
	Dashboards     Figure `json:"dashboards"`
	Secrets        Figure `json:"secrets"`
	Keys           Figure `json:"keys"`
	PromptTokens   Figure `json:"prompt_tokens_per_question"`
	AnswerTokens   Figure `json:"answer_tokens_per_question"`
	EmbeddedTokens Figure `json:"embedded_tokens_per_document"`
}

// readPrices reads prices in the form of prices.json; nil reads the built-in ones.
func readPrices(raw []byte) (p Prices, err error) {
	if raw == nil {
		raw = builtInPrices
	}
	return p, read(raw, &p)
}

// ReadMeasured reads figures in the form of measured.json; nil reads the built-in
// ones.
func ReadMeasured(raw []byte) (m Measured, err error) {
	if raw == nil {
		raw = builtInMeasured
	}
	return m, read(raw, &m)
}

// divisors are the figures that must not be 0.
var divisors = []string{"core_speed", "poll_seconds", "cores_per_acu", "database_utilisation", "busy_hours_a_month",
	"execution_ms_per_delivery", "round_trip_ms", "processor_ms_per_document", "prompt_tokens_per_question",
	"pages_at_once", "chunk_words", "file_database_ms", "chunk_database_ms", "set_database_ms"}

// read refuses a price or a figure that is missing, negative, or without a source:
// nothing is free because it was forgotten.
func read(raw []byte, into any) error {
	if err := strictly(raw, into); err != nil {
		return fmt.Errorf("it is not of the form of the built-in file: %w", err)
	}
	var errs []error
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		switch f := v.Field(i).Interface().(type) {
		case string:
			errs = append(errs, when(f == "", "%s is missing", name))
		case Price:
			errs = append(errs, when(!(f.USD >= 0), "%s has no usd of 0 or more", name),
				when(f.Per == "" || f.Date == "" || f.Source == "", "%s has no per, date or source", name))
		case Figure:
			errs = append(errs, when(!(f.Value >= 0), "%s has no value of 0 or more", name),
				when(f.From == "", "%s has no origin in \"from\"", name),
				when(f.Value == 0 && slices.Contains(divisors, name), "%s is 0, and something is divided by it", name))
		}
	}
	return errors.Join(errs...)
}

func strictly(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// UnmarshalJSON makes a missing amount NaN, not 0, so that it is refused.
func (p *Price) UnmarshalJSON(raw []byte) error {
	type plain Price
	*p = Price{USD: math.NaN()}
	return strictly(raw, (*plain)(p))
}

// UnmarshalJSON makes a missing value NaN, not 0, so that it is refused.
func (f *Figure) UnmarshalJSON(raw []byte) error {
	type plain Figure
	*f = Figure{Value: math.NaN()}
	return strictly(raw, (*plain)(f))
}

func when(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}
