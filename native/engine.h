// The table of kernels of one instruction set: one small struct of functions per topic.
#pragma once

#include "kmeans/state.h"
#include "tiles/kernel_table.h"

namespace coterie {

struct Engine {
  const char* name;
  TileKernels<float> tiles_float;
  TileKernels<double> tiles_double;
  KMeansKernels<float> kmeans_float;
  KMeansKernels<double> kmeans_double;
};

template <class T>
const TileKernels<T>& tiles_of(const Engine& engine);
template <>
inline const TileKernels<float>& tiles_of<float>(const Engine& engine) {
  return engine.tiles_float;
}
template <>
inline const TileKernels<double>& tiles_of<double>(const Engine& engine) {
  return engine.tiles_double;
}

template <class T>
const KMeansKernels<T>& kmeans_of(const Engine& engine);
template <>
inline const KMeansKernels<float>& kmeans_of<float>(const Engine& engine) {
  return engine.kmeans_float;
}
template <>
inline const KMeansKernels<double>& kmeans_of<double>(const Engine& engine) {
  return engine.kmeans_double;
}

}  // namespace coterie
