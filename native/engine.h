// The table of kernels of one instruction set: one small struct of functions per topic and number type.
#pragma once

#include <type_traits>

#include "birch/node_kernels.h"
#include "dendrogram/ordering.h"
#include "dendrogram/point_block_kernels.h"
#include "density/dbscan_jobs.h"
#include "density/mean_shift_jobs.h"
#include "distance/powers.h"
#include "evaluate/silhouette.h"
#include "graph/message_kernels.h"
#include "image/image_kernels.h"
#include "kernel_kmeans/kernel_sum_kernels.h"
#include "kmeans/fuzzy.h"
#include "kmeans/kmeans_kernels.h"
#include "kmeans/seeding/seeding_kernels.h"
#include "kmeans/sparse/sparse_kernels.h"
#include "linkage/centroid_search.h"
#include "linkage/product_search.h"
#include "linkage/row_kernels.h"
#include "medoids/medoid_kernels.h"
#include "mixture/latent_classes.h"
#include "mixture/mixture.h"
#include "neighbours/neighbour_kernels.h"
#include "phylogeny/phylogeny_kernels.h"
#include "series/series_kernels.h"
#include "spectral/affinity.h"
#include "tiles/kernel_table.h"
#include "trees/kdtree_jobs.h"
#include "trees/prim_jobs.h"
#include "trees/spanning_jobs.h"

namespace coterie {

template <class T>
struct Kernels {
  TileKernels<T> tiles;
  KMeansKernels<T> kmeans;
  FuzzyKernels<T> fuzzy;
  SeedingKernels<T> seeding;
  SparseKernels<T> sparse;
  KDTreeKernels<T> kdtree;
  SpanningKernels<T> spanning;
  PrimKernels<T> prim;
  DbscanKernels<T> dbscan;
  SilhouetteKernels<T> silhouette;
  LinkageKernels<T> linkage;
  MixtureKernels<T> mixture;
  AffinityKernels<T> affinity;
  MedoidKernels<T> medoids;
  KernelSumKernels<T> kernel_sums;
  MessageKernels<T> messages;
};

struct Engine {
  const char* name;
  Kernels<float> float32;
  Kernels<double> float64;
  PowerKernels powers;
  OrderingKernels ordering;
  PointBlockKernels blocks;
  CentroidKernels centroids;
  ProductKernels products;
  NodeKernels nodes;
  NeighbourKernels neighbours;
  LatentKernels latent_classes;
  SeriesKernels series;
  ShiftKernels mean_shift;
  ImageKernels image;
  PhylogenyKernels phylogeny;
  DistanceCodeKernels distance_codes;
  CodedKernels<float> coded_float32;
  CodedKernels<double> coded_float64;

  template <class T>
  const Kernels<T>& of() const {
    if constexpr (std::is_same_v<T, float>)
      return float32;
    else
      return float64;
  }

  template <class T>
  const CodedKernels<T>& coded() const {
    if constexpr (std::is_same_v<T, float>)
      return coded_float32;
    else
      return coded_float64;
  }
};

}  // namespace coterie
