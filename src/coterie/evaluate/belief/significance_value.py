"""What chance gives, and how often it is as good as what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.stats import beta, norm

from coterie._support.optional import require
from coterie._support.typing import FloatArray
from coterie._support.validation.schema import FLAG, Real, Schema, Sometimes, Tensor, Text
from coterie.evaluate.belief.stability_value import plain_value

EXACT = "exact"
CONFIDENCE = 0.95  # of the interval that the number of draws leaves for the p-value
TOLERANCE = 1e-12  # relative; the same clustering in another order must not differ by rounding

SIGNIFICANT = 0.05  # level of the tests against null models
NULL_NAMES = {
    "gaussian": "Gaussian null",
    "elliptical": "elliptical null",
    "uniform": "uniform null",
    "pca_box": "uniform null",
    "permuted": "permutation null",
    "permutation": "permutation null",
    "configuration": "configuration null",
}


@dataclass(frozen=True, eq=False)
class Significance:
    """A value, what chance gives instead, and how often chance is as good.

    Parameters
    ----------
    measure : str
        What was measured.
    null : str
        The model of chance.
    against : str
        The same in words: "one Gaussian".
    observed : float
        The value of the data; nan where it is not defined.
    draws : array of shape (n_draws,)
        The values of chance; nan where they are not defined, which counts as worse.
    greater_is_better : bool
        Direction.
    how : str, default="exact"
        Which rows were used, where not all were.

    Examples
    --------
    >>> Significance("silhouette_score", "gaussian", "one Gaussian", 0.7, np.linspace(0.2, 0.4, 99), True)
    p = 0.01 (95 % interval 0 to 0.037): silhouette_score 0.7 against one Gaussian, 99 draws of 0.3 on average
    """

    _schema: ClassVar[Schema] = {
        "measure": Text(),
        "null": Text(),
        "against": Text(),
        "observed": Real(nan=True),
        "draws": Tensor("draws", kind="f8", allow="all", may_be_empty=True),
        "greater_is_better": FLAG,
        "how": Sometimes(Text()),
    }

    measure: str
    null: str
    against: str
    observed: float
    draws: FloatArray
    greater_is_better: bool
    how: str = EXACT

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return int(self.draws.size)

    @property
    def n_as_good(self) -> int:
        """Draws that are at least as good as the data."""
        if np.isnan(self.observed):
            return self.n_draws
        slack = TOLERANCE * abs(self.observed)
        with np.errstate(invalid="ignore"):
            if self.greater_is_better:
                return int((self.draws >= self.observed - slack).sum())
            return int((self.draws <= self.observed + slack).sum())

    @property
    def p_value(self) -> float:
        """Share of data sets, the given one included, that are at least as good."""
        return (1 + self.n_as_good) / (1 + self.n_draws)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the p-value of infinitely many draws lies, with a confidence of 95 % (Clopper-Pearson)."""
        good, n, tail = self.n_as_good, self.n_draws, (1 - CONFIDENCE) / 2
        low = 0.0 if good == 0 else float(beta.ppf(tail, good, n - good + 1))
        high = 1.0 if good == n else float(beta.ppf(1 - tail, good + 1, n - good))
        return low, high

    @property
    def z_score(self) -> float:
        """How far the data are better than chance, in standard deviations of the draws."""
        known = self.draws[~np.isnan(self.draws)]
        spread = float(known.std(ddof=1)) if known.size > 1 else 0.0
        if spread == 0:
            return float("nan")
        away = (self.observed - float(known.mean())) / spread
        return away if self.greater_is_better else -away

    @property
    def p_normal(self) -> float:
        """The p-value if chance were normal: it tells small ones apart, for which there are too few draws."""
        return float(norm.sf(self.z_score))

    @property
    def verdict(self) -> str:
        """Whether the null is rejected at the level 0.05: "Gaussian null rejected" or "... not rejected"."""
        null = NULL_NAMES.get(self.null, "null model")
        return f"{null} rejected" if self.p_value <= SIGNIFICANT else f"{null} not rejected"

    @property
    def p_in_words(self) -> str:
        """The p-value and what limits it.

        Examples
        --------
        >>> draws = np.linspace(0.2, 0.4, 99)
        >>> Significance("separation", "gaussian", "one Gaussian", 0.7, draws, True).p_in_words
        'Monte Carlo p = 0.01, the smallest possible with 99 draws'
        >>> Significance("separation", "gaussian", "one Gaussian", 0.3, draws, True).p_in_words
        'Monte Carlo p = 0.51, 99 draws'
        """
        draws = f"{self.n_draws:,} draw{'' if self.n_draws == 1 else 's'}"
        least = "" if self.n_as_good else "the smallest possible with "
        return f"Monte Carlo p = {self.p_value:.2g}, {least}{draws}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain numbers and words."""
        return {
            "measure": self.measure,
            "null": self.null,
            "against": self.against,
            "observed": plain_value(self.observed),
            "p_value": self.p_value,
            "interval": list(self.interval),
            "z_score": plain_value(self.z_score),
            "n_draws": self.n_draws,
            "greater_is_better": self.greater_is_better,
            "how": self.how,
            "verdict": self.verdict,
            "draws": [plain_value(value) for value in self.draws],
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row per draw."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        return pandas.DataFrame({self.measure: self.draws}).rename_axis("draw")

    def __repr__(self) -> str:
        known = self.draws[~np.isnan(self.draws)]
        mean = f"{known.mean():.3g} on average" if known.size else "no defined value"
        low, high = self.interval
        return (
            f"p = {self.p_value:.3g} (95 % interval {low:.2g} to {high:.2g}): {self.measure} "
            f"{self.observed:.3g} against {self.against}, {self.n_draws} draws of {mean}"
            f"{'' if self.how == EXACT else f' ({self.how})'}"
        )
