from collections.abc import Mapping

from .catalogue import Distance as Distance
from .catalogue import Parameter as Parameter
from .catalogue import distances as distances
from .catalogue import find_distance as find_distance
from .catalogue import register as register
from .geometry import Barycentre as Barycentre
from .geometry import Clusters as Clusters
from .geometry import Geometry as Geometry
from .geometry import find_geometry as find_geometry
from .geometry import geometries as geometries
from .geometry import register_geometry as register_geometry
from .input import input_kind as input_kind
from .matrices import check_distance_matrix as check_distance_matrix
from .matrices import check_similarity_matrix as check_similarity_matrix
from .matrices import distances_from_similarities as distances_from_similarities
from .neighbour_graphs import NeighbourGraph as NeighbourGraph
from .neighbour_graphs import neighbour_graph as neighbour_graph
from .neighbour_index import NeighbourIndex as NeighbourIndex
from .neighbours import Nearest as Nearest
from .neighbours import Neighbourhoods as Neighbourhoods
from .neighbours import Neighbours as Neighbours
from .neighbours import k_nearest as k_nearest
from .neighbours import nearest as nearest
from .neighbours import neighbours_within as neighbours_within
from .pairwise import pairwise_distances as pairwise_distances
from .spanning import SpanningTree as SpanningTree
from .spanning import spanning_tree as spanning_tree
from .table import TableEncoding as TableEncoding

def catalogue() -> Mapping[str, Distance]: ...
