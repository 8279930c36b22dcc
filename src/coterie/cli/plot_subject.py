"""What a plot on the command line is about: rows, groups, a model, a tree; each made when first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.optional import require
from coterie._support.typing import AnyArray, FloatArray, Labels, MatrixLike, Model, PolarsFrame
from coterie.data import Complete, PreparedRows, Table, settle_missing
from coterie.data.geography.places import cells_of, find_places, with_places
from coterie.data.geography.positions import in_degrees
from coterie.data.missing import settle_mixed
from coterie.data.prepared import choose_named, without_unassociated
from coterie.distance import Distance, find_distance
from coterie.distance.mixed import distance_of_levels
from coterie.errors import InvalidFile, InvalidParameter, MissingFile
from coterie.evaluate.belief import GOWER, MixedColumns
from coterie.pipeline import FitRequest, Groups, predict_table, run
from coterie.pipeline.groups import RowUnits, group_name, mixed_columns, number_labels
from coterie.pipeline.rows.tables import dense, prepare_table
from coterie.tree import Dendrogram, linkage

MOST_SEGMENTS = 10  # compared, where -k does not say how many
MOST_PIXELS = 4_000  # by which they are compared


def by_numbers(request: FitRequest, table: Table) -> FitRequest:
    """Return the request without categories: plots draw numbers, so groups are found by these."""
    if table.is_matrix:
        return request
    choice = choose_named(table, request.columns, request.drop, request.keep, categories=True)
    levels = table.levels(choice.used)
    if levels and request.methods is None:
        choice = without_unassociated(table, choice, levels, named=(*request.columns, *request.keep))
    texts = [name for name in choice.used if table.looks[name].is_text]
    return replace(request, drop=(*request.drop, *texts))


@dataclass(frozen=True)
class PlotRequest:
    """What the command line says: how to find groups, and what else is drawn."""

    fit: FitRequest
    k: int | None
    linkage: str
    truth: str | None
    labels: str | None

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return self.fit.seed

    @property
    def distance(self) -> str:
        """Name of the distance."""
        return self.fit.distance or "euclidean"

    @property
    def method(self) -> str:
        """The method that is named; k-means where none is."""
        return (self.fit.methods or ("kmeans",))[0]

    @property
    def is_open(self) -> bool:
        """Whether groups are still to be found."""
        return self.labels is None and not self.fit.is_settled


@dataclass(frozen=True, eq=False)
class NumberedModel:
    """A model whose clusters are numbered as its groups are, the largest first."""

    model: Model
    numbers: Labels
    labels_: Labels

    def predict(self, X: MatrixLike) -> Labels:
        """Return the group of each row."""
        return number_labels(self.model.predict(X), self.numbers)

    @property
    def cluster_centers_(self) -> AnyArray | None:
        """Centres in the order of the groups; None where there are none."""
        centers = getattr(self.model, "cluster_centers_", None)
        return None if centers is None else np.asarray(centers)[np.argsort(self.numbers)]


class PlottedRows:
    """The rows of a table, prepared as they are drawn: in its own units, and as a model sees them."""

    def __init__(
        self,
        request: PlotRequest,
        *,
        table: Table | None,
        model: object,
        found: Groups | None = None,
        takes_categories: bool = False,
    ) -> None:
        self.request, self._table, self._model, self._found = request, table, model, found
        self._takes_categories = takes_categories

    @property
    def _known(self) -> Groups | None:
        """Groups that were read, or found before."""
        return self._model if isinstance(self._model, Groups) else self._found

    @property
    def table(self) -> Table:
        """The table; refused where a model alone was given."""
        if self._table is None:
            raise InvalidParameter("this plot draws rows, and MODEL has none: give them with --data DATA.")
        return self._table

    @property
    def has_rows(self) -> bool:
        """Whether there is a table."""
        return self._table is not None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns that are drawn."""
        return tuple(self.rows.columns)

    @property
    def _reading(self) -> Groups | PreparedRows:
        """What says how columns are read: known groups, or the rows as they are prepared."""
        return self._prepared if self._known is None else self._known

    @property
    def _used(self) -> tuple[str, ...]:
        """Columns that the model sees: three for a position."""
        return self._prepared.choice.used if self._known is None else self._known.columns

    @cached_property
    def places(self) -> FloatArray:
        """Latitude and longitude of the rows drawn, in degrees."""
        table, asked = self.table, self.request.fit
        found = self._reading.places or find_places(dense(table), asked.places)[0]
        if not found:
            raise InvalidParameter(
                "this plot draws places, and no two columns are called latitude and longitude, or hold such "
                "degrees. Name them: --places LAT,LON."
            )
        cells = cells_of(table, found[0])[self._complete.rows]
        is_known = ~np.isnan(cells).any(axis=1)
        if not is_known.all():
            raise InvalidParameter(
                f"this plot draws places, and {int((~is_known).sum()):,} rows have none. Leave them out: "
                f"--missing drop."
            )
        return cells

    @cached_property
    def _prepared(self) -> PreparedRows:
        """The rows, prepared as `coterie fit` prepares them."""
        asked = self.request.fit
        others = [name for name in (self.request.truth, self.request.labels) if name is not None]
        scale = "none" if self._model is not None else None
        drop = [name for name in others if name not in asked.drop]
        return prepare_table(
            dense(self.table),
            asked,
            drop=drop,
            scale=scale,
            categories=self._takes_categories,
            associated=asked.methods is None,
        )

    @cached_property
    def _complete(self) -> Complete:
        if self._known is None:
            return self._prepared.complete
        table = dense(self.table)  # refuses a model without rows
        if self._known.levels:
            if not self._takes_categories:
                raise InvalidParameter(
                    "this plot draws columns of numbers, and the model has categories. The plots clusplot, "
                    "embedding, silhouette and profiles draw them, and so does the report: coterie fit DATA "
                    "--report FILE."
                )
            X = table.coded(self._used, self._known.levels)[0]
            policy, source = self.request.fit.missing, self.table.source
            return settle_mixed(X, self._used, self._known.levels, policy=policy, source=source)
        X = with_places(table, self._known.places).matrix(self._used)
        policy = self.request.fit.missing
        return settle_missing(X, self._used, policy=policy, source=self.table.source)

    @property
    def rows(self) -> PolarsFrame:
        """The rows in the table's own units, positions in degrees, as a frame with names of columns."""
        names, X = self._described
        return self._frame(X, names)

    @property
    def _described(self) -> tuple[Sequence[str], AnyArray]:
        """Columns and rows in the table's units, a column of 0 and 1 for each category."""
        if self._reading.levels:
            described = RowUnits(self._used, self._reading.levels).describe(self._complete.X)
            return described.columns, described.X
        return in_degrees(self._used, self._complete.X, self._reading.places)

    @cached_property
    def scaled(self) -> PolarsFrame:
        """The rows as the model sees them; with categories, factors of numbers and categories alike."""
        if self.mixed is not None:
            return self._frame(self.mixed.factors(self.coded), self._described[0])
        return self._frame(self.coded, self._used)

    @property
    def coded(self) -> FloatArray:
        """Scaled numbers, and codes of categories."""
        return np.asarray(self._reading.scaling.apply(self._complete.X))

    @property
    def mixed(self) -> MixedColumns | None:
        """Which columns are categories; None: none."""
        return mixed_columns(self._reading.levels) if self._reading.levels else None

    @property
    def metric(self) -> str | Distance:
        """The distance between `coded` rows."""
        if self.mixed is None:
            return self.request.distance
        distance = find_distance(self.request.fit.distance or GOWER)
        return distance_of_levels(distance, self._reading.levels)

    def _frame(self, X: MatrixLike, names: Sequence[str]) -> Any:
        polars = require("polars", extra="cli", purpose="Reading tables")
        return polars.DataFrame(X, schema=list(names))


class PlotSubject(PlottedRows):
    """Rows of a table, or a saved model, and the groups, the model and the tree that can be drawn of them."""

    @property
    def k(self) -> int | None:
        """The number of groups asked for, of the model, or found."""
        asked = self.request.k
        return asked if asked is not None or self._known is None else self._known.k

    @property
    def is_of_model(self) -> bool:
        """Whether a MODEL was given, not a table alone."""
        return self._model is not None

    @cached_property
    def groups(self) -> Groups:
        """The groups of the table, found as `coterie fit` finds them."""
        if self._known is not None:
            return self._known
        asked = self.request.fit
        return run(self.table, asked if self._takes_categories else by_numbers(asked, self.table)).groups

    @property
    def model(self) -> Model:
        """The fitted estimator, with its own numbers of clusters."""
        if self._model is not None:
            return getattr(self._model, "model", self._model)
        return self.groups.model

    @property
    def numbered_model(self) -> NumberedModel:
        """The model with the numbers of the groups, and the labels of the rows drawn."""
        if self.request.labels is not None:
            raise InvalidParameter("this plot needs a model that predicts: leave --labels out.")
        numbers = np.arange(len(self.labels)) if self.names is None else self.groups.numbers
        return NumberedModel(self.model, numbers, self.labels)

    @property
    def model_names(self) -> list[str] | None:
        """What people call the group that each cluster of the model is."""
        if self._model is not None and not isinstance(self._model, Groups):
            return None
        return [group_name(int(number)) for number in self.groups.numbers]

    @cached_property
    def labels(self) -> Labels:
        """The group of each row drawn, -1 for noise; the label column where one is named."""
        if self.request.labels is not None:
            return self._codes(self.request.labels)[0]
        if self._model is not None:
            found = predict_table(self._model, self.table, missing=self.request.fit.missing)
        else:
            found = self.groups.labels
        return np.asarray(found[~np.ma.getmaskarray(found)])

    @cached_property
    def names(self) -> list[str] | None:
        """Names of the groups, by label."""
        if self.request.labels is not None:
            return self._codes(self.request.labels)[1]
        if self._model is not None and not isinstance(self._model, Groups):
            return None
        return [group_name(label) for label in range(self.groups.k)]

    @cached_property
    def centers(self) -> FloatArray | None:
        """Centres of the groups in the table's units; None where labels were given."""
        is_other = self.request.labels is not None
        is_bare = self._model is not None and not isinstance(self._model, Groups)
        return None if is_other or is_bare else self.groups.centers

    @property
    def truth(self) -> Labels:
        """The known classes of the rows drawn."""
        if self.request.truth is None:
            raise InvalidParameter("this plot compares with known classes: name their column with --truth.")
        return self._codes(self.request.truth)[0]

    @property
    def truth_words(self) -> AnyArray:
        """The known classes of the rows drawn, by name."""
        codes = self.truth
        return np.array([*self._codes(str(self.request.truth))[1], "-1"])[codes]

    @cached_property
    def tree(self) -> Dendrogram:
        """The tree of the model, or of the rows by --linkage."""
        if self._model is not None:
            tree = getattr(self.model, "dendrogram_", None)
            if tree is None:
                raise InvalidParameter(f"a {type(self.model).__name__} has no tree. Pass a table instead.")
            found: Dendrogram = tree
            return found
        return self.tree_by(self.request.linkage)

    def tree_by(self, method: str) -> Dendrogram:
        """Return the tree of the rows by a linkage."""
        merges = linkage(self.coded, method, self.metric)
        return Dendrogram.from_linkage(merges, names=self._row_names())

    def _row_names(self) -> list[str]:
        keys = self.table.key_columns()
        if keys:
            return [str(value) for value in self.table.content[keys[0]].gather(self._complete.rows)]
        return [str(row + 1) for row in self._complete.rows]

    def _codes(self, column: str) -> tuple[Labels, list[str]]:
        """Return a column of labels as numbers from 0, and their names; -1 stays noise."""
        from coterie.data.columns import check_names

        check_names(self.table.source, self.table.columns, [column])
        content = self.table.content
        if self.table.is_matrix:
            values = content[:, [self.table.columns.index(column)]]
            given = np.asarray(values.toarray() if issparse(values) else values).ravel()
        else:
            given = content[column].to_numpy()
        words = np.array([str(value) for value in given[self._complete.rows]])
        found = sorted(
            set(words) - {"-1"}, key=lambda word: (len(word), word) if word.isdigit() else (99, word)
        )
        code = {word: number for number, word in enumerate(found)}
        return np.array([code.get(word, -1) for word in words]), found


@dataclass(frozen=True)
class ImageSubject:
    """An image file to be segmented: pixels from 0 to 1 in red, green and blue."""

    request: PlotRequest
    pixels: FloatArray

    @property
    def k(self) -> int:
        """The number of segments asked for, or the knee of the distortion of some pixels."""
        from coterie.select import choose_k

        asked = self.request
        if asked.k is not None:
            return asked.k
        pixels = self.pixels.reshape(-1, 3)
        rng = np.random.default_rng(asked.seed)
        some = rng.choice(len(pixels), min(len(pixels), MOST_PIXELS), replace=False)
        most = min(MOST_SEGMENTS, len(np.unique(pixels[some], axis=0)))
        if most < 3:
            return most
        evidence = choose_k(
            pixels[np.sort(some)], k=range(1, most + 1), criteria=["elbow"], random_state=asked.seed
        )
        print(f"{evidence.k} segments, the knee of the distortion; -k N draws another number")
        return int(evidence.k)


def read_image(path: str) -> FloatArray:
    """Return the pixels of an image file, from 0 to 1."""
    pillow: ModuleType = require("PIL.Image", extra="plot", purpose="Reading images")
    if not Path(path).is_file():
        raise MissingFile(f"{path}: no such file.")
    try:
        with pillow.open(path) as image:
            return np.asarray(image.convert("RGB"), dtype=np.float64) / 255
    except (OSError, ValueError) as error:
        raise InvalidFile(f"{path}: is not an image that can be read ({error}).") from error
