// Fills the table with this instruction set's kernels.
#include "engine.h"

#include "support/isa.h"

// apply(room, name): the file room/name.kernel.cpp defines install_name, which writes its functions into the table.
// clang-format off: one file per line
#define COTERIE_FOR_EACH_KERNEL_FILE(apply) \
  apply(tiles, consume)                     \
  apply(tiles, nearest)                     \
  apply(tiles, pack)                        \
  apply(tiles, symmetric)                   \
  apply(trees, kdtree_nearest)              \
  apply(trees, kdtree_radius)               \
  apply(trees, spanning_rows)               \
  apply(trees, spanning_search)             \
  apply(distance, powers)                   \
  apply(kmeans, coded_pass)                 \
  apply(kmeans, exponion_bounds)            \
  apply(kmeans, exponion_pass)              \
  apply(kmeans, filter_pass)                \
  apply(kmeans, fuzzy_pass)                 \
  apply(kmeans, hamerly_pass)               \
  apply(kmeans, lloyd_pass)                 \
  apply(kmeans, seeding_gains)              \
  apply(kmeans, seeding_pairs)              \
  apply(kmeans, sparse_pass)                \
  apply(kmeans, sparse_seeding)             \
  apply(density, dbscan)                    \
  apply(density, mean_shift)                \
  apply(graph, affinity_propagation)        \
  apply(linkage, centroid_search)           \
  apply(linkage, matrix_rows)               \
  apply(linkage, member_rows)               \
  apply(linkage, product_search)            \
  apply(dendrogram, min_plus)               \
  apply(dendrogram, point_blocks)           \
  apply(evaluate, silhouette)               \
  apply(mixture, latent_classes)            \
  apply(mixture, mixture)                   \
  apply(spectral, affinity)                 \
  apply(medoids, medoids)                   \
  apply(kernel_kmeans, kernel_sums)         \
  apply(birch, node_search)                 \
  apply(neighbours, descent)                \
  apply(neighbours, rerank)                 \
  apply(image, superpixels)                 \
  apply(series, elastic)                    \
  apply(series, paths)                      \
  apply(phylogeny, least_pair)              \
  apply(phylogeny, site_counts)
// clang-format on

namespace coterie::COTERIE_ISA {

#define COTERIE_DECLARE(room, name) void install_##name(Engine& engine);
COTERIE_FOR_EACH_KERNEL_FILE(COTERIE_DECLARE)
#undef COTERIE_DECLARE

void install(Engine& engine);

void install(Engine& engine) {
#define COTERIE_INSTALL(room, name) install_##name(engine);
  COTERIE_FOR_EACH_KERNEL_FILE(COTERIE_INSTALL)
#undef COTERIE_INSTALL
}

}  // namespace coterie::COTERIE_ISA
