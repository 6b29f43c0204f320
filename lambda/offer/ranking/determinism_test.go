package ranking

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/roster"
)

// The digests of a roster of 1,000 users and of all its sets, by version. They may
// never change: a roster that is stored has to give the sets that were delivered.
const (
	goldenRoster = "4ae99f2a818e98df3e9753c20f64eaaaabdcef3582fab9e2cf6142ab66accbd1"
	goldenSets   = "32a6ab7951e3a88d080dd36a5c832a3ca0575c9ebd4355813db2d0b1f73717e3"
	goldenSets4  = "edd76e3e6f8c7f6b3cea6ca3ff45d25dc91fbbecfd52c541d2d065afd37b6217"
	goldenSets2  = "b1c408776b026ac5a94f37c3470c51f3326a012e7300450525b658101a4e600e"
)

// Rows are shuffled, sets are computed at once and in a random order.
func TestGoldenSets(t *testing.T) {
	t.Parallel()
	w := newWorld(16)
	w.place = func() string { return w.oneOf(w.city(), w.city(), w.country(), "") }
	w.unread = func() string { return "0" }
	r := w.roster(1000)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	v := newWorld(17)
	remembering := v.roster(1000)
	v.remember(&remembering)
	for version, want := range map[int]string{1: goldenSets, 2: goldenSets2, 4: goldenSets4} {
		r := r
		if version == 4 {
			r = remembering
		}
		r.Algorithm = version
		random.Shuffle(len(r.Rows), func(i, j int) { r.Rows[i], r.Rows[j] = r.Rows[j], r.Rows[i] })
		frozen := must.Get(r.Freeze())(t)
		if got := hex.EncodeToString(frozen.Digest[:]); version == 1 && got != goldenRoster {
			t.Errorf("seed %d: the roster has the digest %s, want %s", seed, got, goldenRoster)
		}
		if got := digestOfSets(t, frozen, random); got != want {
			t.Errorf("seed %d: the sets of version %d have the digest %s, want %s", seed, version, got, want)
		}
	}
}

func digestOfSets(t *testing.T, frozen roster.Frozen, random *rand.Rand) string {
	t.Helper()
	r, err := frozen.Thaw()
	must.OK(t, err)
	x := index(t, r)
	sets := make([]string, len(x.users))
	var workers sync.WaitGroup
	for _, i := range random.Perm(len(x.users)) {
		workers.Go(func() {
			set, err := x.Offers(x.users[i].id)
			if err != nil {
				t.Error(err)
			}
			sets[i] = encode(set)
		})
	}
	workers.Wait()
	all := sha256.New()
	for _, set := range sets {
		all.Write([]byte(set + "\n"))
	}
	return hex.EncodeToString(all.Sum(nil))
}

// The test above runs as processes of their own.
func TestSetsIgnoreEnvironment(t *testing.T) {
	t.Parallel()
	self := must.Get(os.Executable())(t)
	for name, environment := range map[string][]string{
		"one processor, Samoa, Turkish": {"GOMAXPROCS=1", "TZ=Pacific/Apia", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"},
		"many processors, no locale":    {"GOMAXPROCS=16", "TZ=America/St_Johns", "LANG=", "LC_ALL=C"},
		"old processor, other memory":   {"GODEBUG=cpu.all=off", "GOGC=5", "TZ=UTC"},
	} {
		child := exec.CommandContext(t.Context(), self, "-test.run", "^TestGoldenSets$", "-test.count=1")
		child.Env = environment
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// The functions run on ARM.
func TestGoldenSetsOnARM(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "compiles the test for ARM")
	qemu := testenv.Program(t, "qemu-aarch64-static", "install qemu-user-static")
	program := filepath.Join(t.TempDir(), "ranking.test")
	// With the flags of the bootstraps, whose packages are compiled.
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-o", program, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), qemu, program, "-test.run", "^TestGoldenSets$", "-test.v")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
