"""The rows in a plane, and the tree that joins them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import FloatArray, Indices
from coterie.data.geography.positions import place_text
from coterie.pipeline.many_columns import MANY_COLUMNS
from coterie.pipeline.partition import dense
from coterie.show.layout.globe import projection_for
from coterie.show.layout.planes import GOLDEN, NearPlane, density, graph_plane, near_plane, principal_plane
from coterie.show.layout.upper_tree import UpperTree, upper_tree
from coterie.show.report.facts import DensityFacts, MapFacts, TreeFacts
from coterie.show.report.numbers import percent, rounded
from coterie.show.report.subject import ReportSubject, shorten
from coterie.tree import Dendrogram

ALIKE = "near means alike"
NEAR_MEANS = {"network": "near means linked, directly or by way of others"}
LEAST_NEAR_ROWS = 20  # fewer have no neighbourhoods to speak of
MOST_LINKS = 4_000  # lines of a network: more are a grey cloud
MOST_LINKED_ROWS = 100_000  # of a method that linked near rows: more take too long to lay out for a page


def map_facts(subject: ReportSubject, places: Indices) -> tuple[MapFacts, ...]:
    """Return the maps of the rows at `places`, the first being shown first."""
    if subject.is_network:
        network = graph_plane(subject.linked.map(), None)
        facts = _near_facts(network._replace(places=network.places[places]), None)
        return (replace(facts, links=subject.linked.links(places, MOST_LINKS)),)
    positions = getattr(subject.profile, "positions", ())
    if positions:
        found = _positions(subject, places, positions[0].columns)
        return (found,) if len(subject.columns) == 2 else (found, _components(subject, places))
    n_columns = len(subject.columns)
    if subject.at_hand.category_of:
        n_columns = max(n_columns, 3)  # categories have no axis of their own
    if n_columns == 1:
        return (_line(subject, places),)
    if n_columns == 2:
        return (_plane(subject, places),)
    maps = [_components(subject, places)]
    near = _near_rows(subject, places)
    if near is not None:
        maps.insert(0 if n_columns >= MANY_COLUMNS else 1, near)
    return tuple(maps)


def _line(subject: ReportSubject, places: Indices) -> MapFacts:
    x = dense(subject.at_hand.X)[:, 0]
    spread = (np.arange(len(places)) * GOLDEN) % 1.0
    return MapFacts(
        name="the column",
        caption="One column was used; rows are spread upwards at random so that none hides another.",
        x_title=shorten(subject.columns[0]),
        y_title="",
        x=rounded(x[places]),
        y=rounded(spread),
    )


def _plane(subject: ReportSubject, places: Indices) -> MapFacts:
    plane = dense(subject.at_hand.X)
    return MapFacts(
        name="the two columns",
        caption="Both columns that were used, in their own units.",
        x_title=shorten(subject.columns[0]),
        y_title=shorten(subject.columns[1]),
        x=rounded(plane[places, 0], 5),
        y=rounded(plane[places, 1], 5),
        density=_density(plane, len(places)),
    )


def _positions(subject: ReportSubject, places: Indices, columns: tuple[str, str]) -> MapFacts:
    """Return the map of the Earth: equal areas, north is up."""
    X = dense(subject.at_hand.X)
    degrees = X[:, [subject.columns.index(name) for name in columns]]
    known = degrees[~np.isnan(degrees).any(axis=1)]
    projection = projection_for(known)
    plane, middle = projection.project(degrees), place_text(projection.latitude, projection.longitude, 10.0)
    where = "Equal Earth map of the world" if projection.is_world else f"Map around {middle}"
    return MapFacts(
        name="map",
        caption=f"{where}, equal areas, north is up; no coastlines are drawn.",
        x_title="km east" if not projection.is_world else "",
        y_title="km north" if not projection.is_world else "",
        x=rounded(plane[places, 0], 6),
        y=rounded(plane[places, 1], 6),
        density=_density(plane[~np.isnan(plane).any(axis=1)], len(places)),
    )


def _components(subject: ReportSubject, places: Indices) -> MapFacts:
    plane, shares, is_whole = principal_plane(subject.at_hand.points, places)
    said = "" if is_whole else f" (computed from {count_of(len(places), 'row')})"
    shown = plane[places] if is_whole else plane
    if subject.at_hand.category_of:
        said = f" (factor analysis of mixed data{', ' + said.strip(' ()') if said else ''})"
    return MapFacts(
        name="factors" if subject.at_hand.category_of else "PCA",
        caption=f"Two principal components keep {percent(float(shares.sum()))} of the variance of the "
        f"{subject.scaling}{said}.",
        x_title=f"component 1 ({percent(float(shares[0]))})",
        y_title=f"component 2 ({percent(float(shares[1]))})",
        x=rounded(shown[:, 0]),
        y=rounded(shown[:, 1]),
        density=_density(plane, len(places)) if is_whole else None,
    )


def _density(plane: FloatArray, n_shown: int) -> DensityFacts | None:
    """Return counts of all rows where the page shows only some."""
    if len(plane) <= n_shown:
        return None
    found = density(plane)
    return DensityFacts(
        rounded(found.x), rounded(found.y), tuple(tuple(row) for row in found.counts.tolist())
    )


def _near_rows(subject: ReportSubject, places: Indices) -> MapFacts | None:
    """Return the map on which near means alike; the graph is that of the method, where it has one."""
    if len(places) < LEAST_NEAR_ROWS:
        return None
    model = subject.linked
    if model is not None and subject.n_grouped <= MOST_LINKED_ROWS:
        everyone = model.map()
        shown, counted = graph_plane(everyone, model.n_neighbors), everyone
        shown = shown._replace(places=shown.places[places])
        return _near_facts(shown, _density(counted[np.isfinite(counted[:, 0])], len(places)))
    points = dense(subject.at_hand.points[places])
    if np.ptp(points) == 0:
        return None
    return _near_facts(near_plane(points, subject.seed), None)


def _near_facts(found: NearPlane, shade: DensityFacts | None) -> MapFacts:
    return MapFacts(
        name=found.name,
        caption=f"{found.how[:1].upper()}{found.how[1:]}: {NEAR_MEANS.get(found.name, ALIKE)}; sizes of "
        f"groups and gaps between them are not to scale.",
        x_title="",
        y_title="",
        x=rounded(found.places[:, 0]),
        y=rounded(found.places[:, 1]),
        density=shade,
    )


def tree_facts(subject: ReportSubject, places: Indices) -> TreeFacts | None:
    """Return the upper part of the tree of the rows; None where there is none, or where it is one pair."""
    tree = subject.dendrogram
    if tree is None or tree.n_leaves < 3:
        return None
    tree = tree.as_distances()
    upper = upper_tree(tree)
    return TreeFacts(
        title=_tree_title(tree, len(upper.leaves)),
        sizes=tuple(upper.sizes),
        names=tuple(_leaf_names(tree, upper, subject)),
        children=tuple(map(tuple, upper.children)),
        heights=tuple(float(f"{height:.6g}") for height in upper.heights),
        reaches=tuple(float(f"{height:.6g}") for height in upper.reaches),
        leaf_of_row=tuple(upper.leaf_of_row[places].tolist()),
        chosen_height=upper.cut_height(subject.k),
        n_leaves=tree.n_leaves,
    )


def _leaf_names(tree: Dendrogram, upper: UpperTree, subject: ReportSubject) -> list[str]:
    return [
        subject.name_of(node) if node < tree.n_leaves else count_of(size, "row")
        for node, size in zip(upper.leaves, upper.sizes, strict=False)
    ]


def _tree_title(tree: Dendrogram, n_shown: int) -> str:
    if n_shown == tree.n_leaves:
        return f"Dendrogram of {count_of(tree.n_leaves, 'row')}"
    return f"Dendrogram of {count_of(tree.n_leaves, 'row')} (last {n_shown - 1} merges)"
