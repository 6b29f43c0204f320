package doctor

import (
	"context"
	"errors"
	"io/fs"

	"matchbook/lambda/blob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// unlikely is the key of a missing file. A readable store reports it as missing; one without
// the right to list denies access instead.
const unlikely = manifest.FolderDocuments + "doctor-looks-for-no-file"

func (l *look) askFiles(ctx context.Context, f *facts, function string, env variables) {
	if !env.has(variable.BlobURL) {
		return
	}
	l.Progress("asking the store of files")
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	store, err := blob.Open(ctx, env[variable.BlobURL], func(ctx context.Context) (aws.Config, error) {
		c, err := l.aws(ctx)
		if err != nil {
			return aws.Config{}, err
		}
		return c.config, nil
	})
	if err != nil {
		f.files = append(f.files, files{function, known(problem(err.Error()))})
		return
	}
	file, _, err := store.Open(ctx, unlikely, "")
	if err == nil {
		err = file.Close()
	}
	found := problem("")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		found = problem("cannot read the store of files: " + sentence(err))
	}
	f.files = append(f.files, files{function, known(found)})
}

func eachFiles(f facts) (results []result) {
	for _, s := range f.files {
		results = append(results, answers(s.function, "the store of files can be read", checkFiles, s.readable))
	}
	return results
}
