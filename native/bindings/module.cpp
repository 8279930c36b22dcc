// The table of contents of coterie._core.
#include "bindings/bindings.h"
#include "support/cpu_dispatch.h"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // catalogues keep their distances until the interpreter has gone
  module.doc() = "The native engine of Coterie.";
  coterie::engine();  // chosen now: an instruction set that cannot run makes the import fail, with the choices
  coterie::bind_contingency(module);
  coterie::bind_silhouette(module);
  coterie::bind_mixture(module);
  coterie::bind_latent_classes(module);
  coterie::bind_spectral(module);
  coterie::bind_support(module);
  coterie::bind_tiles(module);
  coterie::bind_kmeans(module);
  coterie::bind_kmeans_block(module);
  coterie::bind_fuzzy(module);
  coterie::bind_seeding(module);
  coterie::bind_sparse(module);
  coterie::bind_distances(module);
  coterie::bind_medoids(module);
  coterie::bind_kernel_kmeans(module);
  coterie::bind_trees(module);
  coterie::bind_dendrogram(module);
  coterie::bind_layout(module);
  coterie::bind_linkage(module);
  coterie::bind_spanning(module);
  coterie::bind_density(module);
  coterie::bind_birch(module);
  coterie::bind_categorical(module);
  coterie::bind_size_limits(module);
  coterie::bind_valleys(module);
  coterie::bind_communities(module);
  coterie::bind_neighbours(module);
  coterie::bind_series(module);
  coterie::bind_exemplars(module);
  coterie::bind_image(module);
  coterie::bind_phylogeny(module);
}
