"""From parameters to a plan: what to run, in the space of the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coterie._support.typing import Centers, Data, SparseData
from coterie.cluster.kmeans.points import Stopping
from coterie.cluster.kmeans.spaces import Space
from coterie.cluster.kmeans.starts import check_centers
from coterie.errors import InvalidParameter


@dataclass(frozen=True)
class KMeansPlan:
    """What to run: checked parameters, with every "auto" resolved but the algorithm's."""

    n_clusters: int
    init: Any
    n_init: int
    stopping: Stopping
    algorithm: str
    seed: int
    who: str
    improve: str | None = None
    record: bool = False


def prepared_init(init: Any, X: Data | SparseData, space: Space, *, who: str) -> Any:
    """Return a start in the space of the rows: centres are prepared like rows, a callable sees the data."""
    if isinstance(init, str):
        return init
    if not callable(init):
        return space.prepare(init, name="init")

    def start(prepared: Any, n_clusters: int, random_state: Any) -> Centers:
        made = init(X, n_clusters, random_state=random_state)
        centers = check_centers(made, n_clusters, X, name="the result of init", who=who)
        prepared_centers: Centers = space.prepare(centers, name="the result of init")
        return prepared_centers

    return start


def check_improve(improve: str | None, space: Space, *, who: str) -> None:
    """Refuse to breathe where centres are no means: new ones are placed next to old ones."""
    if improve is not None and not (space.has_means or space.has_unit_means):
        raise InvalidParameter(
            f'improve="{improve}" of {who} needs centres that are means, those of the geometry '
            f"{space.geometry.name} are not. Use n_init=10."
        )
