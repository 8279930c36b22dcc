"""Whether p-values are uniform where there are no clusters: ``python -m benchmarks.calibration``.

Each line takes 200 data sets without clusters. There p-values are uniform: a share of about 0.05 lies at or
below 0.05, and the Kolmogorov-Smirnov test finds no difference. Cautious tests have fewer small p-values;
tests that would cry wolf have more, and are marked.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom, kstest

from coterie.cluster import AgglomerativeClustering, KMeans
from coterie.evaluate import hopkins, permutation_significance, significance, split_significance

N_SETS = 200
N_DRAWS = 99
LEVEL = 0.05


def gaussian(rng: np.random.Generator, n: int, d: int) -> Any:
    """One Gaussian with a random covariance."""
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))


def box(rng: np.random.Generator, n: int, d: int) -> Any:
    """Rows uniform in a box with random sides."""
    return rng.random((n, d)) * rng.uniform(1, 5, d)


def turned_box(rng: np.random.Generator, n: int, d: int) -> Any:
    """Rows uniform in a box in a random direction."""
    return box(rng, n, d) @ np.linalg.qr(rng.normal(size=(d, d)))[0]


def heavy(rng: np.random.Generator, n: int, d: int) -> Any:
    """One cloud with heavy tails: t with 3 degrees of freedom."""
    return rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(3, n) / 3)[:, None]


def skewed(rng: np.random.Generator, n: int, d: int) -> Any:
    """Independent columns, each skewed."""
    return rng.exponential(size=(n, d))


def noise_labels(rng: np.random.Generator) -> tuple[Any, Any]:
    """Two labelings that know nothing of each other."""
    return rng.integers(4, size=200), rng.integers(6, size=200)


def random_graph(rng: np.random.Generator) -> Any:
    """Return a graph whose vertices have unequal degrees and no communities."""
    wish = rng.uniform(0.3, 0.8, 60)
    edges = np.triu(rng.random((60, 60)) < np.outer(wish, wish), 1).astype(float)
    return edges + edges.T


def graph_p(graph: Any, seed: int) -> float:
    """P-value of the modularity of the leading eigenvector's split."""
    from coterie.cluster import SpectralClustering
    from coterie.evaluate import modularity

    method = SpectralClustering(2, affinity="precomputed", random_state=seed)
    found = significance(
        method, graph, measure=modularity, null="configuration", n_draws=N_DRAWS, random_state=seed
    )
    return found.p_value


def of_method(
    method: Callable[[int], Any], null: str, measure: str = "silhouette_score"
) -> Callable[[Any, int], float]:
    """Return the p-value of a method as a function of data and seed."""

    def p_value(X: Any, seed: int) -> float:
        found = significance(method(seed), X, measure=measure, null=null, n_draws=N_DRAWS, random_state=seed)
        return found.p_value

    return p_value


def kmeans(k: int) -> Callable[[int], Any]:
    """Return k-means as a function of the seed."""
    return lambda seed: KMeans(k, n_init=3, random_state=seed)


def ward(seed: int) -> Any:
    """Return Ward's method, which needs no seed."""
    return AgglomerativeClustering(3)


def split_p(X: Any, seed: int) -> float:
    """P-value of the split in two that 2-means finds."""
    labels = KMeans(2, n_init=3, random_state=seed).fit(X).labels_
    return split_significance(X, labels, n_draws=N_DRAWS, random_state=seed).p_value


def hopkins_p(X: Any, seed: int) -> float:
    """P-value of the Hopkins statistic."""
    return hopkins(X, random_state=seed).p_value


def fit_p(X: Any, seed: int, **options: Any) -> float:
    """P-value of `coterie.fit`, which chooses method and number; 1 where it gives none."""
    import coterie

    found = coterie.fit(X, budget="fast", random_state=seed, **options).significance
    return 1.0 if found is None else found.p_value


def rounded(rng: np.random.Generator, n: int, d: int) -> Any:
    """One Gaussian in whole numbers."""
    return (2.0 * rng.normal(size=(n, d))).round()


def with_gaps(rng: np.random.Generator, n: int, d: int) -> Any:
    """One Gaussian of which a fifth of the values are missing."""
    X = gaussian(rng, n, d)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def ari_p(labels: Any, seed: int) -> float:
    """P-value of the adjusted Rand index by permutation."""
    return permutation_significance(*labels, n_draws=N_DRAWS, random_state=seed).p_value


LINES: dict[str, tuple[Callable[[np.random.Generator], Any], Callable[[Any, int], float]]] = {
    "2-means, Gaussian null, one Gaussian 100 x 2": (
        lambda rng: gaussian(rng, 100, 2),
        of_method(kmeans(2), "gaussian"),
    ),
    "3-means, Gaussian null, one Gaussian 150 x 5": (
        lambda rng: gaussian(rng, 150, 5),
        of_method(kmeans(3), "gaussian"),
    ),
    "2-means, Gaussian null, 40 rows x 80": (
        lambda rng: rng.normal(size=(40, 80)) * np.linspace(1, 2, 80),
        of_method(kmeans(2), "gaussian"),
    ),
    "Ward, Gaussian null, one Gaussian 100 x 3": (
        lambda rng: gaussian(rng, 100, 3),
        of_method(ward, "gaussian"),
    ),
    "3-means, elliptical null, t with 3 df 200 x 2": (
        lambda rng: heavy(rng, 200, 2),
        of_method(kmeans(3), "elliptical"),
    ),
    "3-means, uniform null, box 100 x 3": (lambda rng: box(rng, 100, 3), of_method(kmeans(3), "uniform")),
    "3-means, pca_box null, turned box 150 x 2": (
        lambda rng: turned_box(rng, 150, 2),
        of_method(kmeans(3), "pca_box"),
    ),
    "3-means, permuted null, skewed 100 x 4": (
        lambda rng: skewed(rng, 100, 4),
        of_method(kmeans(3), "permuted"),
    ),
    "3-means by Calinski-Harabasz, Gaussian null, 100 x 3": (
        lambda rng: gaussian(rng, 100, 3),
        of_method(kmeans(3), "gaussian", "calinski_harabasz_score"),
    ),
    "spectral by modularity, configuration null, 60 vertices": (random_graph, graph_p),
    "split_significance, one Gaussian 100 x 3": (lambda rng: gaussian(rng, 100, 3), split_p),
    "hopkins, box 400 x 2": (lambda rng: box(rng, 400, 2), hopkins_p),
    "hopkins, box 1000 x 5": (lambda rng: box(rng, 1000, 5), hopkins_p),
    "permutation_significance, unrelated labels": (noise_labels, ari_p),
    "coterie.fit, one Gaussian 150 x 3": (lambda rng: rng.normal(size=(150, 3)), fit_p),
    "coterie.fit, one Gaussian 100 x 2, any covariance": (lambda rng: gaussian(rng, 100, 2), fit_p),
    "coterie.fit, one Gaussian 120 x 3, whole numbers": (lambda rng: rounded(rng, 120, 3), fit_p),
    "coterie.fit, one Gaussian 120 x 3, gaps filled": (
        lambda rng: with_gaps(rng, 120, 3),
        lambda X, seed: fit_p(X, seed, missing="median"),
    ),
    "coterie.fit, one Gaussian 120 x 3, gaps observed": (
        lambda rng: with_gaps(rng, 120, 3),
        lambda X, seed: fit_p(X, seed, missing="observed"),
    ),
}


def p_values(name: str, n_sets: int) -> Any:
    """Return the p-values of one line."""
    make, test = LINES[name]
    return np.array([test(make(np.random.default_rng([7, at])), at) for at in range(n_sets)])


def words(small: float, n_sets: int) -> str:
    """Say whether the share of small p-values is what it should be, within the 1 % limits of the binomial."""
    low, high = binom.ppf([0.005, 0.995], n_sets, LEVEL) / n_sets
    return "TOO MANY" if small > high else "few: cautious" if small < low else "as many as there should be"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=N_SETS)
    parser.add_argument("--lines", default="", help="only lines that hold this text")
    options = parser.parse_args()
    print(f"{'':56}  p <= 0.05  mean p  KS p")
    for name in LINES:
        if options.lines in name:
            found = p_values(name, options.sets)
            small = float((found <= LEVEL).mean())
            ks = kstest(found, "uniform").pvalue
            print(f"{name:56}  {small:9.3f}  {found.mean():6.3f}  {ks:4.2f}  {words(small, options.sets)}")


if __name__ == "__main__":
    main()
