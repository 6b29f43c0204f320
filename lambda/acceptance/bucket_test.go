package acceptance_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// Names of the bucket and of a caller with all rights. A function of the manifest has the
// rights of its row; any other caller is refused.
const (
	bucketName  = "files"
	bucketOwner = "owner"
)

// s3Bucket is a bucket as the SDK sees it, over HTTP: with versions, the rights of
// each function, and events for the files that are created in the inbox.
type s3Bucket struct {
	URL string
	// Created gets the event of each new file in the inbox; may be nil.
	Created func(event string)
	// Before is called before each request, and may change it; may be nil.
	Before func(caller string, r *http.Request)

	mu       sync.Mutex
	versions map[string][]version // by key, oldest first
	made     int
}

type version struct{ id, content string }

// newBucket starts an empty bucket. Its fields may be set before the first request.
func newBucket(t testing.TB) *s3Bucket {
	t.Helper()
	b := &s3Bucket{versions: map[string][]version{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.URL = server.URL
	return b
}

// Env is the environment, KEY=VALUE, of a program that uses the bucket under
// that name.
func (b *s3Bucket) Env(caller string) []string {
	return []string{variable.BlobURL + "=s3://" + bucketName, "AWS_ENDPOINT_URL_S3=" + b.URL, "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=" + caller, "AWS_SECRET_ACCESS_KEY=secret"}
}

// Lay stores a file as its owner does, and returns the event that S3 sends.
func (b *s3Bucket) Lay(key, content string) (event string) {
	return b.put(key, content, "Put")
}

// Delete removes all versions of a file.
func (b *s3Bucket) Delete(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.versions, key)
}

// Content returns the latest version of a file.
func (b *s3Bucket) Content(key string) (content string, ok bool) {
	v, code := b.find(key, "")
	return v.content, code == ""
}

// Keys lists the files below a folder.
func (b *s3Bucket) Keys(folder string) (keys []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.versions {
		if strings.HasPrefix(key, folder) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// ServeHTTP implements http.Handler.
func (b *s3Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.Before != nil {
		b.Before(callerOf(r), r)
	}
	caller := callerOf(r)
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	source := r.Header.Get("X-Amz-Copy-Source")
	var code string
	switch {
	case caller == "":
		code = "InvalidAccessKeyId"
	case bucket != bucketName:
		code = "NoSuchBucket"
	case r.Method == http.MethodGet && may(caller, key, false):
		code = b.get(w, key, r.URL.Query().Get("versionId"))
	case r.Method == http.MethodPut && may(caller, key, true) && source == "":
		code = b.create(r, key)
	case r.Method == http.MethodPut && may(caller, key, true):
		code = b.copy(w, caller, source, key)
	default:
		code = "AccessDenied"
	}
	if code != "" {
		w.WriteHeader(cmp.Or(statuses[code], http.StatusBadRequest))
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>of the bucket</Message></Error>", code)
	}
}

// statuses has the status of each error; use 400 for all others.
var statuses = map[string]int{"AccessDenied": http.StatusForbidden, "InvalidAccessKeyId": http.StatusForbidden,
	"NoSuchBucket": http.StatusNotFound, "NoSuchKey": http.StatusNotFound, "NoSuchVersion": http.StatusNotFound}

func callerOf(r *http.Request) string {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	name, _, _ := strings.Cut(credential, "/")
	return name
}

func may(caller, key string, write bool) bool {
	if caller == bucketOwner {
		return true
	}
	for _, f := range manifest.Functions() {
		for _, a := range f.Files {
			if f.Name == caller && strings.HasPrefix(key, a.Folder) && (write && a.Write || !write && a.Read) {
				return true
			}
		}
	}
	return false
}

func (b *s3Bucket) get(w http.ResponseWriter, key, id string) (code string) {
	v, code := b.find(key, id)
	if code == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(v.content)))
		_, _ = io.WriteString(w, v.content)
	}
	return code
}

// find returns a version of a file, the latest without an id, or the code for
// one that is not there.
func (b *s3Bucket) find(key, id string) (v version, code string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range slices.Backward(b.versions[key]) {
		if id == "" || id == v.id {
			return v, ""
		}
	}
	if id != "" {
		return v, "NoSuchVersion"
	}
	return v, "NoSuchKey"
}

func (b *s3Bucket) create(r *http.Request, key string) (code string) {
	content, err := io.ReadAll(r.Body)
	if err != nil || r.ContentLength != int64(len(content)) {
		return "IncompleteBody"
	}
	b.put(key, string(content), "Put")
	return ""
}

// copy copies a version of a file. As in S3, a plus sign of the source is a
// space.
func (b *s3Bucket) copy(w http.ResponseWriter, caller, source, key string) (code string) {
	path, id, _ := strings.Cut(source, "?versionId=")
	path, err := url.QueryUnescape(path)
	from, ok := strings.CutPrefix(strings.TrimPrefix(path, "/"), bucketName+"/")
	switch {
	case err != nil:
		return "InvalidArgument"
	case !ok:
		return "NoSuchBucket"
	case !may(caller, from, false):
		return "AccessDenied"
	}
	v, code := b.find(from, id)
	if code == "" {
		b.put(key, v.content, "Copy")
		_, _ = io.WriteString(w, "<CopyObjectResult></CopyObjectResult>")
	}
	return code
}

// put adds a version, and sends its event.
func (b *s3Bucket) put(key, content, kind string) (event string) {
	b.mu.Lock()
	b.made++
	v := version{fmt.Sprintf("version.%d", b.made), content}
	b.versions[key] = append(b.versions[key], v)
	b.mu.Unlock()
	event = s3Event(kind, key, v.id)
	if b.Created != nil && strings.HasPrefix(key, manifest.FolderInbox) {
		b.Created(event)
	}
	return event
}
