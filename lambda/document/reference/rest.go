package reference

// explains reports whether the digits of n outside the runs [from, to) can be something other
// than a part of the number: a date, a year, a position, another number. strength must be the
// Strength of the agreeing digits.
func (n *Number) explains(from, to int, with *Number, strength float64, a Agreement) bool {
	for k := range n.digits {
		if k >= from && k < to {
			continue
		}
		text := n.runs[n.digits[k]].text
		var ok bool
		switch between := n.distance(k, from, to); between {
		case glued, tight:
			ok = n.explainsJoined(k, from, to, with, strength, a)
		case blank: // a group of digits, or another number
			ok = isYear(text) || strength >= 0.9 || strength >= 0.7 && len(text) != 3
		default: // in brackets, behind a comma, behind letters
			ok = a != Part || strength >= 0.5 || len(trimZeros(text)) <= 3 || isYear(text)
		}
		if !ok {
			return false
		}
	}
	return true
}

// explainsJoined is explains for a run k that is joined to the number.
func (n *Number) explainsJoined(k, from, to int, with *Number, strength float64, a Agreement) bool {
	text := n.runs[n.digits[k]].text
	at := with.yearAt()
	switch {
	case isYear(text), isTwoDigitYear(text) && (k == to || k == from-1 && at >= 0):
		return a != Part || at < 0 || sameYear(text, with.runs[with.digits[at]].text) // or of another year
	case a == Part && k >= to:
		return false // 1207-PO-068 isn't part of 1207-PO-067
	case k >= to && len(trimZeros(text)) <= 3: // a position
		return strength >= 0.5
	}
	return strength >= 0.9 && len(text) < len(n.all(from, to)) // a company's code, a delivery
}

// distance returns the widest gap between the run k of digits and the runs [from, to). Words
// set apart: 42 Pos. 10.
func (n *Number) distance(k, from, to int) gap {
	a, b := n.digits[k], n.digits[from]
	if k >= to {
		a, b = n.digits[to-1], n.digits[k]
	}
	widest := glued
	for i := a + 1; i <= b; i++ {
		widest = max(widest, n.runs[i].gap)
		if r := n.runs[i]; r.gap == blank && !r.digit && len(r.text) > 1 {
			return apart
		}
	}
	return widest
}

// inRange reports whether n is a range of numbers, such as 4711 - 4718, containing the number.
func (n *Number) inRange(with *Number) bool {
	if len(with.digits) != 1 {
		return false
	}
	x := with.runs[with.digits[0]].text
	for k := 1; k < len(n.digits); k++ {
		low, high := n.runs[n.digits[k-1]].text, n.runs[n.digits[k]].text
		if n.runs[n.digits[k]].gap == dash && n.digits[k]-n.digits[k-1] == 1 && len(low) == len(x) && len(high) == len(x) &&
			len(x) >= leastForm && low < x && x < high && low[:len(x)-3] == high[:len(x)-3] {
			return true
		}
	}
	return false
}

// leastNear is the minimum of digits for comparing numbers with one wrong digit.
const leastNear = 5

// nearly compares the digits of both numbers, allowing for one wrong digit.
func (n *Number) nearly(with *Number) (best Agreement) {
	if len(with.digits) == 0 || len(with.digits) > 4 {
		return Different
	}
	y := trimZeros(with.all(0, len(with.digits)))
	for from := range n.digits {
		for to := from + 1; to <= n.groupEnd(from, len(with.digits)); to++ {
			x := trimZeros(n.all(from, to))
			if len(x) < leastNear || len(y) < leastNear || len(x)-len(y) > 1 || len(y)-len(x) > 1 ||
				n.prefixOf(from, to, with) == otherPrefix {
				continue
			}
			a := compareDigits(x, y)
			if a == Different && n.sameSeries(from, to, with, x, y) {
				a = Series
			}
			if a > Series && !n.explains(from, to, with, Strength(x), a) {
				a = Different
			}
			best = max(best, a)
		}
	}
	return best
}

// compareDigits finds the one digit that differs.
func compareDigits(x, y string) Agreement {
	i := 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	switch {
	case len(x) < len(y):
		return compareDigits(y, x)
	case len(x) > len(y) && x[i+1:] == y[i:]:
		return Nearly
	case len(x) > len(y):
		return Different
	case i+1 <= len(x) && x[i+1:] == y[i+1:]:
		return OneOff
	case i+2 <= len(x) && x[i] == y[i+1] && x[i+1] == y[i] && x[i+2:] == y[i+2:]:
		return Nearly
	}
	return Different
}

// sameSeries reports whether two numbers have one form: the same runs, and the first half of
// their digits or their letters in common.
func (n *Number) sameSeries(from, to int, with *Number, x, y string) bool {
	if to-from != len(with.digits) || len(x) != len(y) {
		return false
	}
	for k := range to - from {
		if len(n.runs[n.digits[from+k]].text) != len(with.runs[with.digits[k]].text) {
			return false
		}
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	return i*2 >= len(x) || n.prefixOf(from, to, with) == samePrefix
}
