// Fills the table with this instruction set's kernels; one line per topic.
#include "engine.h"

#include "support/isa.h"

namespace coterie::COTERIE_ISA {

void install_packing(Engine& engine);
void install_nearest(Engine& engine);
void install_consumers(Engine& engine);
void install_symmetric(Engine& engine);
void install_kmeans_assign(Engine& engine);
void install_kmeans_failing(Engine& engine);
void install_kmeans_follow(Engine& engine);
void install_kmeans_settle(Engine& engine);
void install_kmeans_filter(Engine& engine);
void install_seeding_gains(Engine& engine);
void install_seeding_pairs(Engine& engine);
void install_sparse(Engine& engine);
void install_sparse_seeding(Engine& engine);
void install_powers(Engine& engine);
void install_kdtree_nearest(Engine& engine);
void install_kdtree_radius(Engine& engine);
void install_spanning_search(Engine& engine);
void install_dbscan(Engine& engine);
void install_silhouette(Engine& engine);
void install_ordering(Engine& engine);
void install_point_blocks(Engine& engine);
void install_linkage_rows(Engine& engine);
void install_centroid_search(Engine& engine);
void install_product_search(Engine& engine);
void install_mixture(Engine& engine);
void install_affinity(Engine& engine);
void install_medoids(Engine& engine);
void install_kernel_sums(Engine& engine);
void install_node_search(Engine& engine);

void install(Engine& engine);

void install(Engine& engine) {
  install_packing(engine);
  install_nearest(engine);
  install_consumers(engine);
  install_symmetric(engine);
  install_kmeans_assign(engine);
  install_kmeans_failing(engine);
  install_kmeans_follow(engine);
  install_kmeans_settle(engine);
  install_kmeans_filter(engine);
  install_seeding_gains(engine);
  install_seeding_pairs(engine);
  install_sparse(engine);
  install_sparse_seeding(engine);
  install_powers(engine);
  install_kdtree_nearest(engine);
  install_kdtree_radius(engine);
  install_spanning_search(engine);
  install_dbscan(engine);
  install_silhouette(engine);
  install_ordering(engine);
  install_point_blocks(engine);
  install_linkage_rows(engine);
  install_centroid_search(engine);
  install_product_search(engine);
  install_mixture(engine);
  install_affinity(engine);
  install_medoids(engine);
  install_kernel_sums(engine);
  install_node_search(engine);
}

}  // namespace coterie::COTERIE_ISA
