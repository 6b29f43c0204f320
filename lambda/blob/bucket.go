package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"matchbook/lambda/failure"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

type bucket struct {
	client       *s3.Client
	name, prefix string
}

func openBucket(c aws.Config, name, prefix string) Store {
	client := s3.NewFromConfig(c, func(o *s3.Options) {
		o.UsePathStyle = c.BaseEndpoint != nil // a custom endpoint lacks subdomains
		o.RetryMaxAttempts = 3                 // safe, because reads and whole writes can be repeated
	})
	return bucket{client, name, prefix}
}

func (b bucket) key(key string) *string { return aws.String(path.Join(b.prefix, key)) }

// Read implements Store.
func (b bucket) Read(ctx context.Context, key string, most int64) ([]byte, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: b.key(key)})
	var none *types.NoSuchKey
	if errors.As(err, &none) {
		return nil, missing(key)
	}
	if err != nil {
		return nil, classify("read the file", err)
	}
	defer out.Body.Close()
	if out.ContentLength == nil {
		return nil, failure.At("read the file", &failure.Error{Sentence: "missing length in S3's response"})
	}
	return readAll(out.Body, key, *out.ContentLength, most)
}

// Write implements Store.
func (b bucket) Write(ctx context.Context, key string, file io.ReadSeeker) error {
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: b.key(key), Body: file})
	return classify("store the file", err)
}

// Open implements Store.
func (b bucket) Open(ctx context.Context, key, version string) (io.ReadCloser, int64, error) {
	in := &s3.GetObjectInput{Bucket: &b.name, Key: b.key(key)}
	if version != "" {
		in.VersionId = &version
	}
	out, err := b.client.GetObject(ctx, in)
	if err != nil {
		return nil, 0, classify("open the file", gone(err))
	}
	return out.Body, aws.ToInt64(out.ContentLength), nil
}

// Copy implements Store.
func (b bucket) Copy(ctx context.Context, key, version, to string) error {
	source := (&url.URL{Path: path.Join(b.name, b.prefix, key)}).EscapedPath()
	source = strings.ReplaceAll(source, "+", "%2B") // otherwise S3 reads a plus sign as a space
	if version != "" {
		source += "?versionId=" + url.QueryEscape(version)
	}
	_, err := b.client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &b.name, CopySource: &source, Key: b.key(to),
		MetadataDirective: types.MetadataDirectiveReplace, TaggingDirective: types.TaggingDirectiveReplace})
	return classify("copy the file", gone(err))
}

// List implements Store.
func (b bucket) List(ctx context.Context, prefix string, each func(Version) error) error {
	below := b.prefix
	if below != "" {
		below += "/"
	}
	pages := s3.NewListObjectVersionsPaginator(b.client, &s3.ListObjectVersionsInput{Bucket: &b.name, Prefix: aws.String(below + prefix)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return classify("list the files", err)
		}
		for _, v := range page.Versions {
			if err := each(Version{strings.TrimPrefix(*v.Key, below), aws.ToString(v.VersionId), aws.ToInt64(v.Size), false}); err != nil {
				return err
			}
		}
		for _, m := range page.DeleteMarkers {
			if err := each(Version{Key: strings.TrimPrefix(*m.Key, below), Version: aws.ToString(m.VersionId), Marker: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostErased is the limit of S3 for a request.
const mostErased = 1000

// Erase implements Store.
func (b bucket) Erase(ctx context.Context, versions []Version) error {
	for some := range slices.Chunk(versions, mostErased) {
		in := &types.Delete{Quiet: aws.Bool(true)}
		for _, v := range some {
			id := types.ObjectIdentifier{Key: b.key(v.Key)}
			if v.Version != "" {
				id.VersionId = &v.Version
			}
			in.Objects = append(in.Objects, id)
		}
		out, err := b.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &b.name, Delete: in})
		if err != nil {
			return classify("delete the files", err)
		}
		for _, e := range out.Errors {
			if code := aws.ToString(e.Code); !slices.Contains(absent, code) {
				return classify("delete the files", &smithy.GenericAPIError{Code: code})
			}
		}
	}
	return nil
}

// absent lists the codes for a missing object or version.
var absent = []string{"NoSuchKey", "NotFound", "NoSuchVersion"}

func gone(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && slices.Contains(absent, api.ErrorCode()) {
		return fs.ErrNotExist
	}
	return err
}

// codes are the permanent refusals of S3; any other is transient.
var codes = map[string]string{
	"NoSuchBucket":          "the bucket does not exist",
	"AccessDenied":          "S3 denies access: these credentials lack a right to the bucket, or to its KMS key",
	"PermanentRedirect":     "the bucket is in another region",
	"InvalidAccessKeyId":    "S3 does not know the credentials",
	"SignatureDoesNotMatch": "S3 refuses the credentials",
	"EntityTooLarge":        "S3 refuses the size",
}

// classify returns an S3 error as a failure, because its text may contain keys. However S3 is
// missed, it's the same sentence, so that one outage is counted as one.
func classify(operation string, err error) error {
	var api smithy.APIError
	var response interface{ HTTPStatusCode() int }
	var send *smithyhttp.RequestSendError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
	case errors.As(err, &api) && codes[api.ErrorCode()] != "":
		err = failure.Permanently("%s", codes[api.ErrorCode()])
	case errors.As(err, &response) && response.HTTPStatusCode() >= http.StatusInternalServerError, errors.As(err, &send):
		err = &failure.Error{Kind: failure.Transient, Sentence: "file storage is away"}
	}
	return failure.At(operation, err)
}
