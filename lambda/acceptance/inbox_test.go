package acceptance_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
)

// newEntrance returns an office whose files come through the inbox function.
// Without a bucket a folder is the store of files.
func newEntrance(t *testing.T, bucket *s3Bucket) (o *office, inbox *local.Consumer) {
	t.Helper()
	env := func(row manifest.Function) (rights []string) {
		if bucket != nil {
			rights = bucket.Env(row.Name) // those of its row, and no others
		}
		return rights
	}
	o = newOfficeWith(t, func(c *local.FunctionConfig) { c.Env = append(c.Env, env(c.Row)...) },
		local.FunctionConfig{Row: manifest.Inbox, Env: env(manifest.Inbox)})
	return o, o.Consumers[2]
}

func sampleFile(t *testing.T, name string) string {
	t.Helper()
	return testdata(t, "files/"+name)
}

func inInbox(name string) string { return manifest.FolderInbox + testTenant.String() + "/" + name }

func (o *office) send(inbox *local.Consumer, events ...string) {
	o.t.Helper()
	for _, event := range events {
		must.OK(o.t, inbox.Send(o.t.Context(), event))
	}
}

// count counts the events of a queue.
func (o *office) count(queue manifest.Function, kind sqs.EventKind) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.log {
		if e.Queue == queue.Name && e.Kind == kind {
			n++
		}
	}
	return n
}

// numbers are those of the documents that are read, with the attempts.
func (o *office) numbers() string {
	o.t.Helper()
	return query[string](o.line, `SELECT coalesce(string_agg(concat_ws(' ', structured_data ->> 'number', status, attempts), ', '
		ORDER BY structured_data ->> 'number'), 'none') FROM ingestion`)
}

// A file is laid into the bucket, S3 sends its event, and three functions behind
// their queues do the rest: the invoice is matched with the order that it cites.
func TestInboxFilesAreMatched(t *testing.T) {
	t.Parallel()
	const order, invoice = "Bestellungen 2026/4711.xml", "Rechnung März 1+2 = 100%.pdf"
	for _, store := range []string{"bucket", "folder"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			var bucket *s3Bucket
			if store == "bucket" {
				bucket = newBucket(t)
			}
			o, inbox := newEntrance(t, bucket)
			for key, file := range map[string]string{inInbox(order): "order-4711.xml", inInbox(invoice): "invoice-with-xml.pdf"} {
				if bucket != nil {
					o.send(inbox, bucket.Lay(key, sampleFile(t, file)))
					continue
				}
				o.store(key, sampleFile(t, file))
				o.send(inbox, s3Event("Put", key, ""))
			}
			o.finish()
			check(t, "ingestions", o.numbers(), "PO-2026-4711 completed 1, RE-2026-118 completed 1")
			check(t, "matches", query[string](o.line, `SELECT coalesce(string_agg(concat_ws(' ', a.type, a.structured_data ->> 'number',
				b.structured_data ->> 'number'), ', '), 'none') FROM document_match, document AS a, document AS b
				WHERE a.id IN (document_a_id, document_b_id) AND b.id IN (document_a_id, document_b_id) AND a.type = 'invoice'
				AND b.type = 'purchase-order'`), "invoice RE-2026-118 PO-2026-4711")
			for _, queue := range []manifest.Function{manifest.Inbox, manifest.Ingest, manifest.Match} {
				check(t, "messages of "+queue.Name, o.count(queue, sqs.Sent), 2)
				check(t, "deliveries of "+queue.Name, o.count(queue, sqs.Received), 2)
				check(t, "acknowledged of "+queue.Name, o.count(queue, sqs.Deleted), 2)
			}
		})
	}
}

// store puts a file into the folder.
func (o *office) store(key, content string) {
	o.t.Helper()
	path := filepath.Join(o.files, filepath.FromSlash(key))
	must.OK(o.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.OK(o.t, os.WriteFile(path, []byte(content), 0o600))
}

// A ZIP archive that arrives in the bucket: two documents are read, and what is not taken out of it
// fails with the reason, once.
func TestInboxUnpacks(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, content := range map[string]string{"a/order.xml": sampleFile(t, "order-4711.xml"), "../b.pdf": sampleFile(t, "invoice-with-xml.pdf"),
		"c.eml": "From: a@b.example\r\nMIME-Version: 1.0\r\n\r\nHello"} {
		_, err := must.Get(w.Create(name))(t).Write([]byte(content))
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	bucket := newBucket(t)
	o, inbox := newEntrance(t, bucket)
	event := bucket.Lay(inInbox("all.zip"), archive.String())
	o.send(inbox, event, event)
	o.finish()
	check(t, "ingestions", o.numbers(), "PO-2026-4711 completed 1, RE-2026-118 completed 1, failed 1")
	check(t, "reason", query[bool](o.line, `SELECT bool_and(needs_human_review AND error ~ '^file [123] of its container: container in a container; unpack it')
		FROM ingestion WHERE job_status = 'failed'`), true)
	check(t, "messages to ingest", o.count(manifest.Ingest, sqs.Sent), 3)
}

// Of ten messages two start an ingestion: one for each content.
func TestOneIngestionPerContent(t *testing.T) {
	t.Parallel()
	bucket := newBucket(t)
	o, inbox := newEntrance(t, bucket)
	first, second := sampleFile(t, "order-4711.xml"), sampleFile(t, "order-4720.xml")
	const key = "Größe 50% + 1/Auftrag #7?.xml"
	of1, of2 := bucket.Lay(inInbox(key), first), bucket.Lay(inInbox(key), second)
	gone := bucket.Lay(inInbox("gone.xml"), sampleFile(t, "order-4731.xml"))
	bucket.Delete(inInbox("gone.xml"))
	o.send(inbox,
		setUpEvent,
		of2, of1, // the second version of a key first
		of1, of1, // duplicates
		bucket.Lay(inInbox("copy of 4711.xml"), first),  // the same content under another key
		bucket.Lay(inInbox(key), second),                // the same content as another version
		bucket.Lay(inInbox("2026/"), ""),                // a folder
		bucket.Lay("inbox/acme/order-4740.xml", second), // no tenant
		gone)
	o.finish()
	o.send(inbox, of1) // long after
	o.finish()
	check(t, "ingestions", o.numbers(), "PO-2026-4711 completed 1, PO-2026-4720 completed 1")
	check(t, "messages to ingest", o.count(manifest.Ingest, sqs.Sent), 2)
	check(t, "messages to match", o.count(manifest.Match, sqs.Sent), 2)
	check(t, "events with an end", o.count(manifest.Inbox, sqs.Deleted), 11)
	check(t, "events without an end", o.count(manifest.Inbox, sqs.MovedToDLQ), 0)
	check(t, "documents in the bucket", len(bucket.Keys(manifest.FolderDocuments)), 2)
	check(t, "documents", query[int](o.line, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), 2)
}

// A process that is killed while it copies the file has its message back after
// the queue's visibility timeout, and the file is ingested once.
func TestKilledInbox(t *testing.T) {
	t.Parallel()
	bucket := newBucket(t)
	copying := make(chan struct{}, 1)
	copying <- struct{}{}
	reached := make(chan struct{})
	bucket.Before = func(caller string, r *http.Request) {
		if caller != manifest.Inbox.Name || r.Method != http.MethodPut {
			return
		}
		select {
		case <-copying: // the first one only
			close(reached)
			<-r.Context().Done()
		default:
		}
	}
	o, inbox := newEntrance(t, bucket)
	o.send(inbox, bucket.Lay(inInbox("a.xml"), sampleFile(t, "order-4711.xml")))
	select {
	case <-reached:
	case <-time.After(patience(t)):
		t.Fatal("the file is not copied")
	}
	if !inbox.Function.Kill(nil) {
		t.Fatal("no process is at work")
	}
	died := o.Clock.Now()
	o.finish()
	check(t, "ingestions", o.numbers(), "PO-2026-4711 completed 1")
	check(t, "deliveries", o.count(manifest.Inbox, sqs.Received), 2)
	check(t, "messages to ingest", o.count(manifest.Ingest, sqs.Sent), 1)
	if took := o.Clock.Now().Sub(died); took < manifest.Inbox.Visibility() || took > manifest.Inbox.Visibility()+time.Minute {
		t.Errorf("the event came back after %s, want the queue's visibility timeout", took)
	}
}

// A function has the rights of its row in the manifest: without that to write
// documents, no event is lost; it ends in the dead-letter queue.
func TestMissingPermission(t *testing.T) {
	t.Parallel()
	bucket := newBucket(t)
	bucket.Before = func(caller string, r *http.Request) {
		if caller == manifest.Inbox.Name {
			r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), "Credential=inbox/", "Credential=stranger/", 1))
		}
	}
	o, inbox := newEntrance(t, bucket)
	o.send(inbox, bucket.Lay(inInbox("a.xml"), sampleFile(t, "order-4711.xml")))
	o.finish()
	check(t, "deliveries", o.count(manifest.Inbox, sqs.Received), manifest.Inbox.MaxReceiveCount())
	check(t, "moved to the dead-letter queue", o.count(manifest.Inbox, sqs.MovedToDLQ), 1)
	check(t, "ingestions", o.numbers(), "none")
}
