package ranking

import (
	"math"
	"math/rand/v2"
	"testing"
)

// haversine is the great circle's distance, in metres.
func haversine(p, q place) float64 {
	angle := func(units int64) float64 { return float64(units) / degree * math.Pi / 180 }
	half := func(a float64) float64 { return math.Sin(a/2) * math.Sin(a/2) }
	h := half(angle(p.lat-q.lat)) + math.Cos(angle(p.lat))*math.Cos(angle(q.lat))*half(angle(p.lon-q.lon))
	return 2 * 6_371_008.8 * math.Asin(math.Sqrt(h))
}

func TestDistanceNearGreatCircle(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	worst, near := 0.0, 0
	for range 200_000 {
		p := place{random.Int64N(150*degree) - 75*degree, random.Int64N(circle) - circle/2}
		q := place{p.lat + random.Int64N(10*degree) - 5*degree, p.lon + random.Int64N(40*degree) - 20*degree}
		q.lat = min(max(q.lat, -75*degree), 75*degree)
		q.lon = (q.lon+circle+circle/2)%circle - circle/2
		want := haversine(p, q)
		if want > 500_000 || want < 5_000 { // below, the rounding to 11 m counts
			continue
		}
		near++
		if wrong := math.Abs(float64(p.metres(q))/want - 1); wrong > worst {
			worst = wrong
		}
		if p.metres(q) != q.metres(p) {
			t.Fatalf("seed %d: %v and %v are at two distances", seed, p, q)
		}
	}
	t.Logf("seed %d: the largest error of %d distances is %.2f %%", seed, near, 100*worst)
	if worst > 0.01 || near < 10_000 {
		t.Errorf("seed %d: the largest error of %d distances is %.2f %%, want at most 1 %%", seed, near, 100*worst)
	}
}

// Great circles: Berlin to Paris, Suva to Apia over the antimeridian, along the
// equator, and at a pole.
func TestKnownDistances(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		p, q    place
		km, off int64
	}{
		{place{525_200, 134_050}, place{488_566, 23_522}, 878, 5},
		{place{-181_416, 1_784_419}, place{-138_333, -1_717_667}, 1_145, 8},
		{place{0, 0}, place{0, 10_000}, 111, 0},
		{place{0, 1_795_000}, place{0, -1_795_000}, 111, 0},
		{place{900_000, 0}, place{900_000, 1_800_000}, 0, 0},
	} {
		if got := tc.p.metres(tc.q) / 1000; abs(got-tc.km) > tc.off {
			t.Errorf("%v to %v is %d km, want %d", tc.p, tc.q, got, tc.km)
		}
	}
}

func TestBoxDistanceIsMinimum(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	anywhere := func() place {
		return place{random.Int64N(180*degree+1) - 90*degree, random.Int64N(circle+1) - circle/2}
	}
	for range 100_000 {
		a, b, p := anywhere(), anywhere(), anywhere()
		area := box{place{min(a.lat, b.lat), min(a.lon, b.lon)}, place{max(a.lat, b.lat), max(a.lon, b.lon)}}
		inside := place{a.lat + random.Int64N(abs(b.lat-a.lat)+1)*sign(b.lat-a.lat),
			a.lon + random.Int64N(abs(b.lon-a.lon)+1)*sign(b.lon-a.lon)}
		if area.metres(p) > p.metres(inside) {
			t.Fatalf("seed %d: the box %v is at %d m from %v, the place %v in it at %d m", seed, area, area.metres(p),
				p, inside, p.metres(inside))
		}
	}
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}

func TestRoot(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range int64(100_000) {
		n := i
		if i > 1000 {
			n = random.Int64N(1 << 52)
		}
		if r := root(n); r*r > n || (r+1)*(r+1) <= n {
			t.Fatalf("seed %d: the root of %d is %d", seed, n, r)
		}
	}
}
