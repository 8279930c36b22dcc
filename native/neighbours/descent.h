// Approximate nearest neighbours: partitions by random pivots to start from, then neighbours of neighbours (NN-descent, Dong 2011).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "neighbours/cells.h"
#include "neighbours/descent_jobs.h"
#include "neighbours/partition.h"
#include "support/matrix_view.h"

namespace coterie {

// What rows are multiplied by before they are rounded, and what keys are made of.
struct Coding {
  CodeKind kind;
  double scale;
  double longest;     // a row that is longer is shortened to it, so that no sum overflows
  bool is_euclidean;  // keys are squared distances; otherwise products, largest first
  bool is_small = false;  // codes from -127 to 127: coarser, and compared in less time; numbers beyond are cut off
};

// Owns rows as whole numbers.
class CodedMatrix {
 public:
  template <class T>
  CodedMatrix(const MatrixView<T>& X, const T* shift, const Coding& coding, int threads);
  CodedMatrix(const SparseView<float>& X, const Coding& coding);
  // Places that are not rows, in the codes of some.
  CodedMatrix(const std::vector<double>& values, std::int64_t cols, const CodedRows& like);
  // Some rows of others, or all in another order.
  CodedMatrix(const CodedRows& source, const std::vector<std::int32_t>& order, int threads);
  CodedMatrix(CodedMatrix&&) = default;

  const CodedRows& rows() const { return rows_; }

 private:
  void allocate(std::int64_t n, std::int64_t cols, const Coding& coding);
  void copy_sparse(const CodedRows& source, const std::vector<std::int32_t>& order, int threads);
  // Writes a dense row and what goes with it.
  template <class Code>
  void write_row(std::int64_t i, const double* values, double factor);

  CodedRows rows_{};
  std::shared_ptr<void> memory_;
  std::vector<std::int32_t> terms_, sums_;
  std::vector<std::int32_t> columns_;
  std::vector<std::int64_t> starts_;
};

// Owns lists of entries; large pages, since they are read and written in no order.
class ListStore {
 public:
  ListStore(std::int64_t n, std::int64_t size, int threads);
  void clear(int threads);
  const LockedLists& lists() const { return lists_; }
  std::int64_t n() const { return n_; }

 private:
  std::int64_t n_;
  LockedLists lists_;
  std::shared_ptr<void> entries_;
  std::vector<std::uint64_t> last_;
  std::vector<std::uint8_t> locks_;
};

class NeighbourDescent {
 public:
  // Rows are sorted by cell, or by a first partition, and those of each cell or leaf are compared.
  NeighbourDescent(const CodedMatrix& rows, std::int64_t list_size, std::int64_t leaf_size, std::uint64_t seed, int threads);

  // Joins the rows of each leaf of one more partition.
  void plant(int threads);
  // Compares every row with those of its next nearest cells; rows of products only. Returns how many pairs were compared.
  std::int64_t probe(std::int64_t n_cells, int threads);
  // One round; at most n_candidates new and as many old neighbours of a row meet. Returns how many entries of lists are new.
  std::int64_t improve(std::int64_t n_candidates, int threads);
  // Longer lists, all of whose entries are new again.
  void widen(std::int64_t list_size, int threads);

  std::int64_t n() const { return rows_.rows().n; }
  bool has_cells() const { return start_.cells.n_cells > 0; }
  std::int64_t list_size() const { return near_.lists().size; }
  // The list of a row of the data as it came, nearest first; -1 where it is short.
  void copy_list(std::int64_t row, std::int32_t* out) const;
  // The k nearest of the first m of each list by squared distances of the rows themselves, equal ones by their number; -1 where a list is
  // short. X are the rows as they came.
  template <class T>
  void rerank(const MatrixView<T>& X, std::int64_t m, std::int64_t k, std::int64_t* index, T* squares, int threads) const;
  // The graph of both directions: of each row the nearest `degree` rows that are in its list or have it in theirs.
  void copy_graph(std::int64_t degree, std::int32_t* out, int threads) const;

 private:
  // How rows are sorted, so that near rows are near in memory, and which ranges of them are compared at first.
  struct Start {
    std::vector<std::int32_t> order;
    std::vector<Range> parts;
    std::vector<std::int32_t> first_part;  // of each cell
    Cells cells;  // of sorted rows of products
  };
  static Start find_start(const CodedRows& rows, std::int64_t leaf_size, std::uint64_t seed, int threads);
  NeighbourDescent(const CodedMatrix& rows, std::int64_t list_size, std::int64_t leaf_size, std::uint64_t seed, Start start,
                   int threads);

  // Which rows look into which part.
  struct Visits {
    std::vector<std::int64_t> starts;  // of each part, and their number at the end
    std::int32_t* rows;
  };
  // The part of the cell at that rank of a row, -1 where it is empty. Of a cell of several parts each row looks into one.
  std::int64_t part_of(std::int64_t row, std::int64_t rank) const;
  Visits sort_visits(std::int64_t begin, std::int64_t end, int threads);

  std::int64_t leaf_size_;
  std::uint64_t seed_;
  std::uint64_t n_partitions_ = 1;
  std::uint64_t n_rounds_ = 0;
  std::int64_t n_probed_ = 1;  // cells of each row
  Start start_;
  std::vector<std::int32_t> sorted_;  // row of the data -> sorted row
  CodedMatrix rows_;
  ListStore near_;
  std::vector<std::int32_t> visiting_;  // kept for the next visits
  std::optional<ListStore> fresh_, known_;  // candidates of a round, kept for the next
};

// The `size` nearest rows of each query, by a search of the graph that begins at the doors; -1 where fewer are reached.
void search_graph(const CodedMatrix& queries, const CodedMatrix& rows, const std::int32_t* graph, std::int64_t degree,
                  const std::int32_t* doors, std::int64_t n_doors, std::int64_t size, std::int32_t* out, int threads);

// Of each row of `near` the k with the smallest distances, equal ones by their number. Distances are rows x m.
template <class T>
void keep_nearest(const std::int32_t* near, const T* distances, std::int64_t n, std::int64_t m, std::int64_t k, std::int64_t* index,
                  T* out, int threads);

}  // namespace coterie
