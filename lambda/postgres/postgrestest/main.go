package postgrestest

import "flag"

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
