package job_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// recorder is a PublishStore and a Sender that note their calls.
type recorder struct {
	lines   []string
	exist   []uuid.UUID
	down    error // of the store
	refused []uuid.UUID
	sendErr error
}

var stamp = time.Date(2026, 3, 2, 9, 0, 0, 1000, time.UTC)

func (o *recorder) Publish(_ context.Context, ids []uuid.UUID) (stamped []job.Stamped, err error) {
	if o.down != nil {
		return nil, o.down
	}
	for _, id := range o.exist {
		if slices.Contains(ids, id) {
			o.lines = append(o.lines, fmt.Sprint("commit ", number(id)))
			stamped = append(stamped, job.Stamped{ID: id, PublishedAt: stamp})
		}
	}
	return stamped, nil
}

func (o *recorder) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	for _, m := range messages {
		o.lines = append(o.lines, fmt.Sprint("send ", number(m.ID), m.PublishedAt.Format(" 15:04:05.000000")))
	}
	return o.refused, o.sendErr
}

func (o *recorder) publish(t *testing.T, rows ...int) error {
	p := &job.Publisher{Store: o, Sender: o}
	return p.Publish(t.Context(), ids(rows...))
}

func ids(rows ...int) (ids []uuid.UUID) {
	for _, n := range rows {
		ids = append(ids, id(n))
	}
	return ids
}

func TestPublish(t *testing.T) {
	t.Parallel()
	o := &recorder{exist: ids(1, 2)}
	must.OK(t, o.publish(t, 2, 1, 2))
	want := []string{"commit 1", "commit 2", "send 1 09:00:00.000001", "send 2 09:00:00.000001"}
	if !slices.Equal(o.lines, want) {
		t.Errorf("got %q, want %q", o.lines, want)
	}
}

func TestPublishError(t *testing.T) {
	t.Parallel()
	down := errors.New("https://sqs.example/000000000000/match is down")
	for _, tc := range []struct {
		name     string
		recorder recorder
		rows     []int
		want     job.PublishError
		text     string
	}{
		{
			"some do not exist", recorder{exist: ids(2)}, []int{3, 2, 3, 1}, job.PublishError{Missing: ids(3, 1)},
			"2 rows not found (first 00000000-0000-0000-0000-000000000003)",
		}, {
			"none exists", recorder{}, []int{1}, job.PublishError{Missing: ids(1)},
			"1 row not found (first 00000000-0000-0000-0000-000000000001)",
		}, {
			"some are not sent", recorder{exist: ids(1, 2), refused: ids(2), sendErr: down}, []int{1, 2},
			job.PublishError{Unsent: ids(2), Err: down},
			"messages of 1 row not sent (first 00000000-0000-0000-0000-000000000002); the sweep will publish them again; unexpected error (*errors.errorString)",
		}, {
			"both", recorder{exist: ids(1), refused: ids(1), sendErr: down}, []int{1, 2},
			job.PublishError{Missing: ids(2), Unsent: ids(1), Err: down},
			"1 row not found (first 00000000-0000-0000-0000-000000000002); messages of 1 row not sent (first 00000000-0000-0000-0000-000000000001); the sweep will publish them again; unexpected error (*errors.errorString)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := tc.recorder.publish(t, tc.rows...)
			var got *job.PublishError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want a *PublishError", err)
			}
			if !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got %+v, want %+v", *got, tc.want)
			}
			if !strings.HasPrefix(err.Error(), tc.text) {
				t.Errorf("got %q, want %q first", err, tc.text)
			}
			if !errors.Is(err, tc.want.Err) && tc.want.Err != nil {
				t.Errorf("%v does not wrap its cause", err)
			}
		})
	}
}

func TestUncommittedNotSent(t *testing.T) {
	t.Parallel()
	o := &recorder{exist: ids(1), down: errDown}
	err := o.publish(t, 1)
	if !errors.Is(err, errDown) || !strings.HasPrefix(err.Error(), "publish: ") {
		t.Errorf("got error %v, want %v, with the operation", err, errDown)
	}
	if len(o.lines) != 0 {
		t.Errorf("got %q, want nothing", o.lines)
	}
}

// A sender that fails without naming unsent rows is taken to have sent all.
func TestPublishSenderError(t *testing.T) {
	t.Parallel()
	o := &recorder{exist: ids(1), sendErr: errDown}
	if err := o.publish(t, 1); !errors.Is(err, errDown) {
		t.Errorf("got error %v, want %v", err, errDown)
	}
}
