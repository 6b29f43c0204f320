package doctor

import (
	"context"
	"slices"
	"strings"

	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// kmsKey is a customer's KMS key.
type kmsKey struct{ arn, state string }

// encrypted is a thing with a customer's key.
type encrypted struct {
	subject string
	key     fact[kmsKey]
}

// keyOf resolves a key's id, ARN or alias. AWS's own keys need no right, and are ignored.
func (l *look) keyOf(ctx context.Context, f *facts, subject, id string) string {
	if id == "" || strings.Contains(id, "alias/aws/") {
		return ""
	}
	if _, ok := l.keys[id]; !ok {
		if l.keys == nil {
			l.keys = map[string]fact[kmsKey]{}
		}
		l.keys[id] = l.cloud.key(ctx, id)
	}
	found := encrypted{subject, l.keys[id]}
	if !slices.Contains(f.keys, found) {
		f.keys = append(f.keys, found)
	}
	if !found.key.is && strings.Contains(id, ":key/") {
		return id
	}
	return found.key.value.arn
}

func (a *cloud) key(ctx context.Context, id string) fact[kmsKey] {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := kms.NewFromConfig(a.config).DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: &id})
	if err != nil {
		return unknown[kmsKey]("kms:DescribeKey: " + sentence(err))
	}
	if found.KeyMetadata.KeyManager == types.KeyManagerTypeAws {
		return known(kmsKey{})
	}
	return known(kmsKey{aws.ToString(found.KeyMetadata.Arn), string(found.KeyMetadata.KeyState)})
}

// deadLetterNeeds adds the rights on dead-letter queues, which no variable names, once all queues
// are known.
func (l *look) deadLetterNeeds(f *facts) {
	for i := range f.functions {
		fn := &f.functions[i]
		p, ok := placeOf(fn.runs.value.arn)
		for _, r := range fn.rights(l.rows) {
			for _, ln := range f.lines {
				if ok && r.On.Kind == permission.DeadLetters && r.On.Name == ln.row.Name && ln.dlq.is {
					fn.needs = append(fn.needs, need{Right: r, on: []string{p.queue(ln.dlq.value.id)}})
				}
			}
		}
	}
}

// keyNeeds adds the rights on the keys of queues, of dead-letter queues and of the bucket, once all
// are known.
func (l *look) keyNeeds(ctx context.Context, f *facts) {
	ids := map[string]string{} // of keys, by the ARN of what they encrypt
	for _, ln := range f.lines {
		if p, ok := placeOf(ln.runs.value.arn); ok && ln.queue.is && ln.queue.value.key != "" {
			ids[p.queue(ln.queue.value.id)] = l.keyOf(ctx, f, ln.queue.value.name, ln.queue.value.key)
		}
		if p, ok := placeOf(ln.runs.value.arn); ok && ln.dlq.is && ln.dlq.value.key != "" {
			ids[p.queue(ln.dlq.value.id)] = l.keyOf(ctx, f, ln.dlq.value.name, ln.dlq.value.key)
		}
	}
	extend := func(fn *function) {
		for _, n := range fn.needs {
			kind, on := n.On.Kind, n.on[0]
			if kind == permission.Folder {
				on, _, _ = strings.Cut(on, "/")
				if _, ok := ids[on]; !ok {
					ids[on] = l.bucketKey(ctx, f, on[strings.LastIndex(on, ":")+1:])
				}
			}
			if key := ids[on]; key != "" {
				for _, r := range permission.OfKey(n.Right) {
					fn.needs = append(fn.needs, need{Right: r, on: []string{key}})
				}
			}
		}
	}
	for i := range f.lines {
		extend(&f.lines[i].function)
	}
	for i := range f.functions {
		extend(&f.functions[i])
	}
}

func (l *look) bucketKey(ctx context.Context, f *facts, bucket string) string {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := l.cloud.s3().GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: &bucket})
	if err != nil {
		f.keys = append(f.keys, encrypted{bucket, unknown[kmsKey]("s3:GetEncryptionConfiguration: " + sentence(err))})
		return ""
	}
	if found.ServerSideEncryptionConfiguration == nil {
		return ""
	}
	for _, rule := range found.ServerSideEncryptionConfiguration.Rules {
		if rule.ApplyServerSideEncryptionByDefault != nil {
			return l.keyOf(ctx, f, bucket, aws.ToString(rule.ApplyServerSideEncryptionByDefault.KMSMasterKeyID))
		}
	}
	return ""
}

// secretKey returns the full ARN of a secret and the ARN of its key, as far as readable.
func (l *look) secretKey(ctx context.Context, f *facts, name, arn string) (full, key string) {
	if _, ok := l.described[arn]; !ok {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		if l.described == nil {
			l.described = map[string]secretsmanager.DescribeSecretOutput{}
		}
		found, err := secretsmanager.NewFromConfig(l.cloud.config).DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: &arn})
		if err == nil {
			l.described[arn] = *found
		} else {
			l.described[arn] = secretsmanager.DescribeSecretOutput{}
		}
	}
	found := l.described[arn]
	return aws.ToString(found.ARN), l.keyOf(ctx, f, name+variable.SecretSuffix, aws.ToString(found.KmsKeyId))
}
