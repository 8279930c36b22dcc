// Keys of gathered rows by tiles, and what is done with them: the nearest pivot, offers to lists, a search along a graph.
#include <algorithm>
#include <cstring>

#include "engine.h"
#include "neighbours/compare.h"
#include "neighbours/descent_jobs.h"
#include "neighbours/near_list.h"
#include "support/scratch.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

typedef std::int16_t UnalignedCodes __attribute__((vector_size(vector_bytes), aligned(2), may_alias));

constexpr int tile_rows = n_lanes == 4 ? 2 : 4;  // tile_rows x tile_columns sums become one vector
constexpr int tile_columns = n_lanes / tile_rows;
constexpr std::int64_t codes_per_vector = vector_bytes / 2;

COTERIE_INLINE Codes load_codes(const std::int16_t* from) { return *reinterpret_cast<const UnalignedCodes*>(from); }

// Lane i of the result is the sum over the lanes of parts[i].
template <int count>
COTERIE_INLINE Sums sum_each(Sums (&parts)[n_lanes]) {
  if constexpr (count == 1) {
    return parts[0];
  } else {
    constexpr int half = count / 2;
    for (int i = 0; i < half; ++i) {
      const auto first = [](int lane) { return lane % count < half ? lane : n_lanes + lane - half; };
      const auto second = [](int lane) { return lane % count < half ? lane + half : n_lanes + lane; };
      parts[i] = shuffle_lanes(parts[i], parts[i + half], first) + shuffle_lanes(parts[i], parts[i + half], second);
    }
    return sum_each<half>(parts);
  }
}

template <bool is_equality>
COTERIE_INLINE Sums agreement(Codes a, Codes b) {
  if constexpr (is_equality) {
    const Codes equal = a == b;
    return multiply_pairs(equal, equal);
  } else {
    return multiply_pairs(a, b);
  }
}

// Products of n_a x n_b rows, n_a * n_b = n_lanes: that of a[r] and b[c] in lane r * n_b + c.
template <bool is_equality, int n_a, int n_b>
COTERIE_INLINE Sums products(const std::int16_t* const* a, const std::int16_t* const* b, std::int64_t length) {
  Sums sums[n_lanes] = {};
  for (std::int64_t t = 0; t < length; t += codes_per_vector) {
    Codes y[n_b];
    for (int c = 0; c < n_b; ++c) y[c] = load_codes(b[c] + t);
    for (int r = 0; r < n_a; ++r) {
      const Codes x = load_codes(a[r] + t);
      for (int c = 0; c < n_b; ++c) sums[r * n_b + c] += agreement<is_equality>(x, y[c]);
    }
  }
  return sum_each<n_lanes>(sums);
}

// Rows as pointers; the last one is repeated up to a whole number of tiles.
class Gathered {
 public:
  Gathered(const CodedRows& rows, const std::int32_t* ids, std::int64_t count)
      : padded_((count + n_lanes - 1) / n_lanes * n_lanes), row_(padded_), terms_(padded_) {
    for (std::int64_t i = 0; i < padded_; ++i) {
      const std::int64_t id = ids[i < count ? i : count - 1];
      row_[i] = rows.values + id * rows.stride;
      terms_[i] = rows.terms[id];
    }
  }
  std::int64_t padded() const { return padded_; }
  const std::int16_t* const* rows() const { return row_.data(); }
  const std::int32_t* terms() const { return terms_.data(); }

 private:
  std::int64_t padded_;
  Scratch<const std::int16_t*> row_;
  Scratch<std::int32_t> terms_;
};

// Zeros behind the last column are equal everywhere: where equal ones are counted, all of them are, as many on every processor.
std::int64_t length_of(const CodedRows& rows) {
  if (rows.kind == CodeKind::equality) return rows.stride;
  return (rows.cols + codes_per_vector - 1) / codes_per_vector * codes_per_vector;
}

// Products of tile_rows rows from `first` on with all others from `begin` on: out[r * n_others + c].
template <bool is_equality>
void fill_strip(const Gathered& rows, std::int64_t first, const Gathered& others, std::int64_t begin, std::int64_t length,
                std::int32_t* out) {
  for (std::int64_t c = begin; c < others.padded(); c += tile_columns) {
    const Sums sums = products<is_equality, tile_rows, tile_columns>(rows.rows() + first, others.rows() + c, length);
    alignas(64) std::int32_t numbers[n_lanes];
    std::memcpy(numbers, &sums, sizeof(sums));
    for (int r = 0; r < tile_rows; ++r)
      std::memcpy(out + r * others.padded() + c, numbers + r * tile_columns, sizeof(std::int32_t) * tile_columns);
  }
}

// Products of one row with all others.
template <bool is_equality>
void fill_row(const std::int16_t* row, const Gathered& others, std::int64_t length, std::int32_t* out) {
  for (std::int64_t c = 0; c < others.padded(); c += n_lanes) {
    const Sums sums = products<is_equality, 1, n_lanes>(&row, others.rows() + c, length);
    std::memcpy(out + c, &sums, sizeof(sums));
  }
}

// Products of one sparse row with others, through a row of zeros that holds it meanwhile.
void fill_sparse(const CodedRows& rows, std::int64_t row, const CodedRows& others, const std::int32_t* ids, std::int64_t count,
                 std::int32_t* workspace, std::int32_t* out) {
  for (std::int64_t at = rows.starts[row]; at < rows.starts[row + 1]; ++at) workspace[rows.columns[at]] = rows.values[at];
  for (std::int64_t c = 0; c < count; ++c) {
    std::int32_t sum = 0;
    for (std::int64_t at = others.starts[ids[c]]; at < others.starts[ids[c] + 1]; ++at)
      sum += workspace[others.columns[at]] * others.values[at];
    out[c] = sum;
  }
  for (std::int64_t at = rows.starts[row]; at < rows.starts[row + 1]; ++at) workspace[rows.columns[at]] = 0;
}

// Offers row `ids[a]` and each later one to the other's list where it is near enough.
void offer_row(const JoinJob& job, std::int64_t a, const std::int32_t* products_of_a, const std::int32_t* terms,
               std::int32_t* bounds) {
  const std::int32_t own = job.ids[a];
  std::int32_t own_bound = last_key(job.lists, own);
  const std::int32_t own_term = terms[a];
  for (std::int64_t c = (a + 1) / n_lanes * n_lanes; c < job.n_ids; c += n_lanes) {
    const Sums keys = broadcast_index<float>(own_term) + load_sums(terms + c) - 2 * load_sums(products_of_a + c);
    const Sums bound = load_sums(bounds + c), widest = broadcast_index<float>(own_bound);
    std::uint32_t bits = lane_bits<float>(keys <= (bound > widest ? bound : widest));
    while (bits != 0) {
      const int lane = __builtin_ctz(bits);
      bits &= bits - 1;
      const std::int64_t b = c + lane;
      if (b <= a || b >= job.n_ids || job.ids[b] == own) continue;
      const std::int32_t key = keys[lane];
      if (offer(job.lists, own, entry_of(key, job.ids[b]))) own_bound = last_key(job.lists, own);
      if (offer(job.lists, job.ids[b], entry_of(key, own))) bounds[b] = last_key(job.lists, job.ids[b]);
    }
  }
}

void join_equality(const JoinJob& job, const Gathered& rows, std::int32_t* bounds) {
  const Scratch<std::int32_t> strip(tile_rows * rows.padded());
  const std::int64_t length = length_of(job.rows);
  for (std::int64_t first = 0; first < job.n_fresh; first += tile_rows) {
    fill_strip<true>(rows, first, rows, (first + 1) / n_lanes * n_lanes, length, strip.data());
    for (std::int64_t a = first; a < std::min<std::int64_t>(first + tile_rows, job.n_fresh); ++a)
      offer_row(job, a, strip.data() + (a - first) * rows.padded(), rows.terms(), bounds);
  }
}

void compare(const CompareJob& job) {
  if (job.n_queries < 1 || job.n_members < 1) return;
  with_step(job.rows, [&](auto step) { compare_by<decltype(step)>(job); });
}

void rank(const RankJob& job) {
  with_step(job.rows, [&](auto step) { rank_by<decltype(step)>(job); });
}

void join(const JoinJob& job) {
  if (job.n_ids < 2 || job.n_fresh < 1) return;
  if (job.rows.kind == CodeKind::product) return compare({job.rows, job.lists, job.ids, job.n_fresh, job.ids, job.n_ids, true});
  const Gathered rows(job.rows, job.ids, job.n_ids);
  const Scratch<std::int32_t> bounds(rows.padded());
  for (std::int64_t i = 0; i < rows.padded(); ++i) bounds[i] = i < job.n_ids ? last_key(job.lists, job.ids[i]) : 0;
  if (job.rows.kind == CodeKind::equality) return join_equality(job, rows, bounds.data());
  const Scratch<std::int32_t> sums(rows.padded());
  for (std::int64_t c = 0; c < rows.padded(); ++c) sums[c] = 0;
  for (std::int64_t a = 0; a < job.n_fresh; ++a) {
    fill_sparse(job.rows, job.ids[a], job.rows, job.ids + a + 1, job.n_ids - a - 1, job.workspace, sums.data() + a + 1);
    offer_row(job, a, sums.data(), rows.terms(), bounds.data());
  }
}

// Keys of one row of `from` with rows of `rows`.
void fill_keys(const CodedRows& from, std::int64_t row, const CodedRows& rows, const Gathered& others, const std::int32_t* ids,
               std::int64_t count, std::int32_t* workspace, std::int32_t* keys) {
  if (rows.kind == CodeKind::sparse)
    fill_sparse(from, row, rows, ids, count, workspace, keys);
  else if (rows.kind == CodeKind::product)
    fill_row<false>(from.values + row * from.stride, others, length_of(rows), keys);
  else
    fill_row<true>(from.values + row * from.stride, others, length_of(rows), keys);
  for (std::int64_t c = 0; c < count; ++c) keys[c] = from.terms[row] + others.terms()[c] - 2 * keys[c];
}

std::uint8_t nearest_pivot(const std::int32_t* products_of_row, const Gathered& pivots, std::int64_t n_pivots) {
  std::int64_t best = 0;
  std::int32_t best_key = pivots.terms()[0] - 2 * products_of_row[0];  // but for the row's own term
  for (std::int64_t p = 1; p < n_pivots; ++p) {
    const std::int32_t key = pivots.terms()[p] - 2 * products_of_row[p];
    best = key < best_key ? p : best;
    best_key = key < best_key ? key : best_key;
  }
  return static_cast<std::uint8_t>(best);
}

void assign_by_equality(const AssignJob& job, const Gathered& pivots) {
  const Gathered members(job.rows, job.members, job.count);
  const Scratch<std::int32_t> strip(tile_rows * pivots.padded());
  for (std::int64_t first = 0; first < job.count; first += tile_rows) {
    fill_strip<true>(members, first, pivots, 0, length_of(job.rows), strip.data());
    for (std::int64_t i = first; i < std::min<std::int64_t>(first + tile_rows, job.count); ++i)
      job.group[i] = nearest_pivot(strip.data() + (i - first) * pivots.padded(), pivots, job.n_pivots);
  }
}

void assign_by_products(const AssignJob& job) {
  const Scratch<std::uint16_t> nearest(job.count);
  rank({job.rows, job.members, job.count, job.rows, job.pivots, job.n_pivots, 1, nearest.data(), nullptr});
  for (std::int64_t i = 0; i < job.count; ++i) job.group[i] = static_cast<std::uint8_t>(nearest[i]);
}

void assign(const AssignJob& job) {
  if (job.rows.kind == CodeKind::product) return assign_by_products(job);
  const Gathered pivots(job.rows, job.pivots, job.n_pivots);
  if (job.rows.kind == CodeKind::equality) return assign_by_equality(job, pivots);
  const Scratch<std::int32_t> sums(pivots.padded());
  for (std::int64_t i = 0; i < job.count; ++i) {
    fill_sparse(job.rows, job.members[i], job.rows, job.pivots, job.n_pivots, job.workspace, sums.data());
    job.group[i] = nearest_pivot(sums.data(), pivots, job.n_pivots);
  }
}

constexpr std::int64_t expanded_at_once = 4;  // the rows whose edges are followed together: more of them fill the tiles

// Looks at rows that this query has not seen, and keeps the nearest.
void visit(const SearchJob& job, const std::int32_t* ids, std::int64_t count, std::int32_t* keys) {
  if (count == 0) return;
  const Gathered others(job.rows, ids, count);
  fill_keys(job.queries, job.query, job.rows, others, ids, count, job.workspace, keys);
  for (std::int64_t c = 0; c < count; ++c) insert(job.found, job.size, entry_of(keys[c], ids[c]));
}

COTERIE_INLINE bool is_unseen(const SearchJob& job, std::int32_t id) {
  const auto stamp = static_cast<std::uint32_t>(job.query + 1);
  if (job.visits[id] == stamp) return false;
  job.visits[id] = stamp;
  return true;
}

void search(const SearchJob& job) {
  const std::int64_t most = std::max(job.n_doors, expanded_at_once * job.degree);
  const Scratch<std::int32_t> ids(most), keys(most + n_lanes);
  for (std::int64_t at = 0; at < room_of_list(job.size); ++at) job.found[at] = empty_entry;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < job.n_doors; ++i)
    if (is_unseen(job, job.doors[i])) ids[count++] = job.doors[i];
  while (count > 0) {
    visit(job, ids.data(), count, keys.data());
    count = 0;
    std::int64_t expanded = 0;
    for (std::int64_t at = 0; at < job.size && expanded < expanded_at_once; ++at) {
      if (job.found[at] == empty_entry || (job.found[at] & 1) == 0) continue;
      job.found[at] &= ~std::uint64_t{1};
      ++expanded;
      const std::int32_t* edges = job.graph + row_of(job.found[at]) * job.degree;
      for (std::int64_t e = 0; e < job.degree && edges[e] >= 0; ++e)
        if (is_unseen(job, edges[e])) ids[count++] = edges[e];
      if (count == 0 && expanded == expanded_at_once) expanded = 0;  // all their edges lead to rows seen already: go on
    }
  }
}

}  // namespace

void install_descent(Engine& engine) {
  engine.neighbours.assign = assign;
  engine.neighbours.join = join;
  engine.neighbours.compare = compare;
  engine.neighbours.rank = rank;
  engine.neighbours.search = search;
}

}  // namespace coterie::COTERIE_ISA
