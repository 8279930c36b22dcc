"""Time series: distances that let time stretch, barycentres, and groups of series."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from coterie._support.hints import no_such_name

if TYPE_CHECKING:
    from coterie.series.barycentres import Barycentre, dtw_barycentre, soft_dtw_barycentre
    from coterie.series.catalogue import SeriesDistance, find_series_distance, series_distances
    from coterie.series.collection import SeriesCollection, read_series, series_from_table
    from coterie.series.distances import (
        NearestSeries,
        WarpingPath,
        ddtw,
        dtw,
        dtw_path,
        erp,
        msm,
        nearest,
        pairwise,
        sbd,
        soft_dtw,
        soft_dtw_divergence,
    )
    from coterie.series.kmeans import TimeSeriesKMeans
    from coterie.series.kshape import KShape
    from coterie.series.scaling import normalise, resample

# Where each name lives: `import coterie.series` loads no scikit-learn until a class is asked for.
_HOMES = {
    "Barycentre": "barycentres",
    "KShape": "kshape",
    "NearestSeries": "distances",
    "SeriesCollection": "collection",
    "SeriesDistance": "catalogue",
    "TimeSeriesKMeans": "kmeans",
    "WarpingPath": "distances",
    "ddtw": "distances",
    "dtw": "distances",
    "dtw_barycentre": "barycentres",
    "dtw_path": "distances",
    "erp": "distances",
    "find_series_distance": "catalogue",
    "msm": "distances",
    "nearest": "distances",
    "normalise": "scaling",
    "pairwise": "distances",
    "read_series": "collection",
    "resample": "scaling",
    "sbd": "distances",
    "series_distances": "catalogue",
    "series_from_table": "collection",
    "soft_dtw": "distances",
    "soft_dtw_barycentre": "barycentres",
    "soft_dtw_divergence": "distances",
}

__all__ = [
    "Barycentre",
    "KShape",
    "NearestSeries",
    "SeriesCollection",
    "SeriesDistance",
    "TimeSeriesKMeans",
    "WarpingPath",
    "ddtw",
    "dtw",
    "dtw_barycentre",
    "dtw_path",
    "erp",
    "find_series_distance",
    "msm",
    "nearest",
    "normalise",
    "pairwise",
    "read_series",
    "resample",
    "sbd",
    "series_distances",
    "series_from_table",
    "soft_dtw",
    "soft_dtw_barycentre",
    "soft_dtw_divergence",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise no_such_name(__name__, name, __all__)
    value = getattr(import_module(f"coterie.series.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
