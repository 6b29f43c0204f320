package ranking

import "math"

const (
	degree     = 10_000 // in units of a place
	circle     = 360 * degree
	perDegree  = 111_195 // metres on a meridian
	cosineOne  = 1_000_000
	noDistance = -1 // a place is missing
)

// place is a point in units of 1/10,000 degree.
type place struct{ lat, lon int64 }

// metres returns the equirectangular distance, scaled at the mean latitude. It is within 1 %
// of the great circle up to 500 km and 75 degrees of latitude
// (TestDistanceNearGreatCircle).
func (p place) metres(q place) int64 {
	return hypotenuse(abs(p.lat-q.lat), turn(p.lon, q.lon), abs(p.lat+q.lat)/2)
}

// box is a range of places that does not cross the antimeridian.
type box struct{ low, high place }

// metres returns at most the distance of p from any place of the box, because its parts are at
// most the distance's and each step of the arithmetic keeps their order.
func (b box) metres(p place) int64 {
	var lon int64
	if p.lon < b.low.lon || p.lon > b.high.lon {
		lon = min(turn(p.lon, b.low.lon), turn(p.lon, b.high.lon))
	}
	return hypotenuse(max(b.low.lat-p.lat, p.lat-b.high.lat, 0), lon,
		max(abs(p.lat+b.low.lat), abs(p.lat+b.high.lat))/2)
}

func hypotenuse(lat, lon, mean int64) int64 {
	y := lat * perDegree / degree
	x := lon * perDegree / degree * cosine(mean) / cosineOne
	return root(x*x + y*y)
}

// cosine interpolates between two degrees of a latitude, which must not be negative.
func cosine(lat int64) int64 {
	whole, rest := lat/degree, lat%degree
	if rest == 0 {
		return cosines[whole]
	}
	return cosines[whole] - (cosines[whole]-cosines[whole+1])*rest/degree
}

// turn returns the smaller angle between two longitudes.
func turn(a, b int64) int64 {
	d := abs(a - b)
	return min(d, circle-d)
}

// root returns the integer square root. It corrects the processor's result, so that rounding
// doesn't matter.
func root(n int64) int64 {
	r := int64(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

func abs(n int64) int64 { return max(n, -n) }
