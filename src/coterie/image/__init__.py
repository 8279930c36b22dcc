"""Pictures: colours, segments, and groups of pictures. Files need Pillow, from the extra ``images``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names

if TYPE_CHECKING:
    from coterie.image.boundaries import draw_boundaries, find_boundaries, mean_colours
    from coterie.image.colour import from_space, psnr, to_space
    from coterie.image.features import PictureFeatures, picture_features
    from coterie.image.pictures import Picture, read_picture, write_picture
    from coterie.image.quantisation import Quantised, quantise
    from coterie.image.segmentation import Segmentation, region_graph, segment
    from coterie.image.sheets import contact_sheet, group_pictures, match_labels
    from coterie.image.superpixels import Superpixels, slic

_HOMES = {
    "coterie.image.boundaries": ["draw_boundaries", "find_boundaries", "mean_colours"],
    "coterie.image.colour": ["from_space", "psnr", "to_space"],
    "coterie.image.features": ["PictureFeatures", "picture_features"],
    "coterie.image.pictures": ["Picture", "read_picture", "write_picture"],
    "coterie.image.quantisation": ["Quantised", "quantise"],
    "coterie.image.segmentation": ["Segmentation", "region_graph", "segment"],
    "coterie.image.sheets": ["contact_sheet", "group_pictures", "match_labels"],
    "coterie.image.superpixels": ["Superpixels", "slic"],
}

__all__ = [
    "Picture",
    "PictureFeatures",
    "Quantised",
    "Segmentation",
    "Superpixels",
    "contact_sheet",
    "draw_boundaries",
    "find_boundaries",
    "from_space",
    "group_pictures",
    "match_labels",
    "mean_colours",
    "picture_features",
    "psnr",
    "quantise",
    "read_picture",
    "region_graph",
    "segment",
    "slic",
    "to_space",
    "write_picture",
]

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
