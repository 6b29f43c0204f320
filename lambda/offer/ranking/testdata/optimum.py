"""Compare a month of offers with the best ones possible, found by linear programming.

    python3 -m venv venv && venv/bin/pip install scipy
    go test ./lambda/offer/ranking -run AMonth -thorough -export month.json
    venv/bin/python lambda/offer/ranking/testdata/optimum.py month.json

The optimum shows a pair once in the four weeks, each user has up to four sets on a weekday, and
each candidate is shown up to four times its limit. If nobody repeats, no four dates can do
better. Users with fewer candidates repeat some; the optimum may, too. The polytope has whole
corners, so the optimum is a set of offers.
"""

import collections
import json
import sys

import numpy
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

WEEKS = 4


def optimum(pairs, per_day, exposure, most):
    """Return the best sum of scores, if a pair may come most times."""
    users = {u: i for i, u in enumerate(sorted({p[0] for p in pairs}))}
    shown = {c: i + len(users) for i, c in enumerate(sorted({p[1] for p in pairs}))}
    rows = [users[u] for u, _, _ in pairs] + [shown[c] for _, c, _ in pairs]
    limits = coo_matrix((numpy.ones(len(rows)), (rows, 2 * list(range(len(pairs))))))
    bounds = [per_day] * len(users) + [exposure] * len(shown)
    found = linprog([-s for _, _, s in pairs], A_ub=limits.tocsr(), b_ub=bounds, bounds=(0, most), method="highs")
    if not found.success:
        sys.exit(found.message)
    return -found.fun, found.x


def gini(counts):
    n, total = len(counts), sum(counts)
    return sum((2 * i + 1 - n) * c for i, c in enumerate(sorted(counts))) / (n * total)


def main():
    for month in json.load(open(sys.argv[1])):
        best, reached, once = 0, 0, 0
        shown, alone = collections.Counter(), collections.Counter()
        for weekday in range(7):
            pairs = [p[1:] for p in month["pairs"] if p[0] == weekday]
            offers = [p[1:] for p in month["offers"] if p[0] % 7 == weekday]
            total, x = optimum(pairs, WEEKS * month["per_day"], WEEKS * month["exposure"], 1)
            best += total
            for (_, c, _), n in zip(pairs, x):
                shown[c] += n
            seen = set()
            for u, c, score in offers:
                reached += score
                if (u, c) not in seen:
                    once += score
                    seen.add((u, c))
            pool = {p[0] for p in pairs}
        users = 1 + max(p[1] for p in month["pairs"])
        print(f"{month['world']}: {once / best:.4f} of the optimum without repeats, {reached / best:.4f} with them; "
              f"the optimum's Gini is {gini([shown[c] for c in range(users)]):.3f}")


main()
