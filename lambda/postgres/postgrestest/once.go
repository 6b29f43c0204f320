package postgrestest

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// Once returns a function that gives each test a database of its own, as fill
// left one: the first test fills it, and all get copies. fill closes its
// connections. The TestMain of the package calls Quit.
func Once(fill func(t testing.TB, url string)) func(t testing.TB) (url string) {
	name := "filled_" + uuid.NewString()
	var once sync.Once
	var done bool
	return func(t testing.TB) string {
		t.Helper()
		once.Do(func() {
			s := shared()
			if s.err != nil {
				return // create says it
			}
			exec(t, s.pool, s.createSQL(name, s.template))
			filled.Lock()
			filled.names = append(filled.names, name)
			filled.Unlock()
			fill(t, withDatabase(s.admin, name))
			done = true
		})
		if shared().err == nil && !done {
			t.Fatal("the first test that needed this database could not fill it")
		}
		return create(t, func(server) string { return name })
	}
}

// filled are the databases of Once.
var filled struct {
	sync.Mutex
	names []string
}

// Quit drops the databases of Once: the server may be one that stays.
func Quit() {
	filled.Lock()
	defer filled.Unlock()
	for _, name := range filled.names {
		if _, err := shared().pool.Exec(context.Background(), fmt.Sprintf("DROP DATABASE %q WITH (FORCE)", name)); err != nil {
			panic(err)
		}
	}
}

// Parallel lets n tests of a binary run at once, unless -parallel names a
// number: most of our tests wait for servers, locks and timeouts, so that one
// for each processor leaves the processors idle. It is called by TestMain.
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
