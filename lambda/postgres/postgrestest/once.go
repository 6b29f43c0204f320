package postgrestest

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// Once returns a function that gives each test a separate database in the state left by fill:
// the first test fills it, and all get copies. fill must close its connections, and the
// package's TestMain must call Quit.
func Once(fill func(t testing.TB, url string)) func(t testing.TB) (url string) {
	name := "filled_" + uuid.NewString()
	var once sync.Once
	var done bool
	return func(t testing.TB) string {
		t.Helper()
		once.Do(func() {
			s := shared()
			if s.err != nil {
				return // create reports it
			}
			execute(t, s.pool, s.createSQL(name, s.template))
			filled.Lock()
			filled.names = append(filled.names, name)
			filled.Unlock()
			fill(t, withDatabase(s.admin, name))
			done = true
		})
		if shared().err == nil && !done {
			t.Fatal("the first test that needed this database could not fill it")
		}
		return create(t, name)
	}
}

var filled struct {
	sync.Mutex
	names []string
}

// Quit drops the databases of Once, because the server may be one that stays. Call it in
// TestMain.
func Quit() {
	filled.Lock()
	defer filled.Unlock()
	for _, name := range filled.names {
		if _, err := shared().pool.Exec(context.Background(), fmt.Sprintf("DROP DATABASE %q WITH (FORCE)", name)); err != nil {
			panic(err)
		}
	}
}

// Parallel lets n tests of a binary run at once, unless -parallel sets a number. Call it in
// TestMain: most of our tests wait for servers, locks and timeouts, so one for each processor
// leaves the processors idle.
func Parallel(n string) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", n); err != nil {
		panic(err)
	}
}
