"""Beyond memory and beyond one machine: the methods on Dask collections, files and folders of any size."""

from coterie._support.optional import require

require("dask", extra="scale", purpose="coterie.scale")

from coterie.scale import evaluate  # noqa: E402  # only when Dask is there
from coterie.scale.blocks import Blocks  # noqa: E402
from coterie.scale.clustering import LazyClustering  # noqa: E402
from coterie.scale.methods.dbscan import DBSCAN  # noqa: E402
from coterie.scale.methods.gaussian_mixture import GaussianMixture  # noqa: E402
from coterie.scale.methods.kmeans import KMeans  # noqa: E402
from coterie.scale.methods.kmedoids import KMedoids  # noqa: E402
from coterie.scale.methods.latent_classes import LatentClasses  # noqa: E402
from coterie.scale.methods.minibatch import MiniBatchKMeans  # noqa: E402
from coterie.scale.methods.single_linkage import SingleLinkage  # noqa: E402
from coterie.scale.methods.summaries import Summaries, SummarisedClustering  # noqa: E402
from coterie.scale.predict import predict  # noqa: E402
from coterie.scale.rows import fit  # noqa: E402
from coterie.scale.runtime.engines import FuturesEngine, RayEngine, running_on  # noqa: E402
from coterie.scale.runtime.passes import connect as connect  # noqa: E402
from coterie.scale.sources.reading import read_blocks  # noqa: E402

__all__ = [
    "DBSCAN",
    "Blocks",
    "FuturesEngine",
    "GaussianMixture",
    "KMeans",
    "KMedoids",
    "LatentClasses",
    "LazyClustering",
    "MiniBatchKMeans",
    "RayEngine",
    "SingleLinkage",
    "Summaries",
    "SummarisedClustering",
    "evaluate",
    "fit",
    "predict",
    "read_blocks",
    "running_on",
]
