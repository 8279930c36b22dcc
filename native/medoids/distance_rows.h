// Rows of distances: those of a given matrix, or computed when they are asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "medoids/medoid_kernels.h"
#include "support/matrix_view.h"
#include "tiles/tiles.h"

namespace coterie {

// Row i: the distances from candidate i to every point.
template <class T>
class DistanceRows {
 public:
  static constexpr std::int64_t most_rows = 256;  // of one call

  virtual ~DistanceRows() = default;
  virtual std::int64_t n_points() const = 0;
  virtual std::int64_t n_candidates() const = 0;
  // Whether rows stay where they are; otherwise they are valid until the next call of fetch.
  virtual bool is_lasting() const = 0;
  virtual const T* const* fetch(const std::int64_t* candidates, std::int64_t count) = 0;
};

template <class T>
class GivenRows : public DistanceRows<T> {
 public:
  explicit GivenRows(const MatrixView<T>& D) : D_(D), rows_(DistanceRows<T>::most_rows) {}

  std::int64_t n_points() const override { return D_.cols; }
  std::int64_t n_candidates() const override { return D_.rows; }
  bool is_lasting() const override { return true; }
  const T* const* fetch(const std::int64_t* candidates, std::int64_t count) override;

 private:
  MatrixView<T> D_;
  std::vector<const T*> rows_;
};

// The distance of a pair has the same bits whichever other candidates are asked for.
template <class T>
class ComputedRows : public DistanceRows<T> {
 public:
  ComputedRows(const MatrixView<T>& candidates, const MatrixView<T>& points, const Metric& metric, int threads);

  std::int64_t n_points() const override { return pack_.columns().n_columns; }
  std::int64_t n_candidates() const override { return candidates_.rows; }
  bool is_lasting() const override { return false; }
  const T* const* fetch(const std::int64_t* candidates, std::int64_t count) override;

 private:
  MatrixView<T> candidates_;
  Metric metric_;
  int threads_;
  std::vector<T> shift_;
  ColumnPack<T> pack_;
  std::vector<T> gathered_, panel_;
  std::vector<const T*> rows_;
};

// Rows of codes, made when their distances are first read: a quarter of the memory that float64 takes, read instead of it ever after.
template <class T>
class DistanceCodes {
 public:
  static constexpr std::int64_t most_cells = std::int64_t{1} << 30;  // 2 GiB

  DistanceCodes(std::int64_t n_rows, std::int64_t n_points);
  ~DistanceCodes();
  DistanceCodes(const DistanceCodes&) = delete;
  DistanceCodes& operator=(const DistanceCodes&) = delete;

  const DistanceCode* row(std::int64_t at) const { return codes_ + at * n_points_; }
  // Of rows [n_known, end), given from row `begin` on.
  void encode(std::int64_t begin, std::int64_t end, const T* const* rows, int threads);

 private:
  std::int64_t n_points_, n_known_ = 0;
  DistanceCode* codes_;
};

}  // namespace coterie
