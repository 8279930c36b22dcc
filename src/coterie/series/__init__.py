"""Time series: distances that let time stretch, barycentres, and groups of series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names

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
    "coterie.series.barycentres": ["Barycentre", "dtw_barycentre", "soft_dtw_barycentre"],
    "coterie.series.catalogue": ["SeriesDistance", "find_series_distance", "series_distances"],
    "coterie.series.collection": ["SeriesCollection", "read_series", "series_from_table"],
    "coterie.series.distances": [
        "NearestSeries",
        "WarpingPath",
        "ddtw",
        "dtw",
        "dtw_path",
        "erp",
        "msm",
        "nearest",
        "pairwise",
        "sbd",
        "soft_dtw",
        "soft_dtw_divergence",
    ],
    "coterie.series.kmeans": ["TimeSeriesKMeans"],
    "coterie.series.kshape": ["KShape"],
    "coterie.series.scaling": ["normalise", "resample"],
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

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
