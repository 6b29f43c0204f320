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

// unlikely is the key of a file that is not there. A store that can be read says
// so; one that cannot be listed denies access instead.
const unlikely = manifest.FolderDocuments + "doctor-looks-for-no-file"

// askFiles tries to read from the store of files that a function names.
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
	said := problem("")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		said = problem("the store of files cannot be read: " + sentence(err))
	}
	f.files = append(f.files, files{function, known(said)})
}

func eachFiles(f facts) (results []result) {
	for _, s := range f.files {
		results = append(results, answers(s.function, "the store of files can be read", checkFiles, s.readable))
	}
	return results
}
