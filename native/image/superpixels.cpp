#include "image/superpixels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_task = 16;
constexpr double reach = 1.0;  // of a centre, in steps of the grid: the window of the paper is two steps wide
constexpr std::int64_t still = 2000;  // the loop ends when fewer than one pixel in so many changes

struct Centre {
  double y, x;
  double colour[3];
};

// Exact sums of the pixels of a segment.
struct Sums {
  std::int64_t count = 0, y = 0, x = 0;
  std::int64_t colour[3] = {};

  void add(const Sums& other) {
    count += other.count;
    y += other.y;
    x += other.x;
    for (int t = 0; t < 3; ++t) colour[t] += other.colour[t];
  }
};

// The grid of first centres.
struct Grid {
  std::int64_t rows, columns;
  double row_step, column_step;

  Grid(const PictureView& picture, std::int64_t n_segments) {
    const double step = std::sqrt(static_cast<double>(picture.size()) / static_cast<double>(n_segments));
    rows = std::clamp<std::int64_t>(std::llround(static_cast<double>(picture.height) / step), 1, picture.height);
    columns = std::clamp<std::int64_t>(std::llround(static_cast<double>(picture.width) / step), 1, picture.width);
    row_step = static_cast<double>(picture.height) / static_cast<double>(rows);
    column_step = static_cast<double>(picture.width) / static_cast<double>(columns);
  }
  double step() const { return std::sqrt(row_step * column_step); }
};

std::int64_t gradient(const PictureView& picture, std::int64_t y, std::int64_t x) {
  const std::int64_t up = std::max<std::int64_t>(y - 1, 0), down = std::min(y + 1, picture.height - 1);
  const std::int64_t left = std::max<std::int64_t>(x - 1, 0), right = std::min(x + 1, picture.width - 1);
  std::int64_t total = 0;
  for (std::int64_t c = 0; c < picture.n_channels; ++c) {
    const std::int64_t across = picture.row(c, y)[right] - picture.row(c, y)[left],
                       along = picture.row(c, down)[x] - picture.row(c, up)[x];
    total += across * across + along * along;
  }
  return total;
}

// The middle of a cell of the grid, moved off an edge: to the smallest gradient of nine pixels, the middle first.
Centre first_centre(const PictureView& picture, const Grid& grid, std::int64_t row, std::int64_t column) {
  const auto y = static_cast<std::int64_t>((static_cast<double>(row) + 0.5) * grid.row_step);
  const auto x = static_cast<std::int64_t>((static_cast<double>(column) + 0.5) * grid.column_step);
  std::int64_t best_y = y, best_x = x, least = gradient(picture, y, x);
  if (grid.step() > 3)
    for (std::int64_t v = std::max<std::int64_t>(y - 1, 0); v <= std::min(y + 1, picture.height - 1); ++v)
      for (std::int64_t u = std::max<std::int64_t>(x - 1, 0); u <= std::min(x + 1, picture.width - 1); ++u)
        if (const std::int64_t here = gradient(picture, v, u); here < least) {
          least = here;
          best_y = v;
          best_x = u;
        }
  Centre centre{static_cast<double>(best_y), static_cast<double>(best_x), {}};
  for (std::int64_t c = 0; c < picture.n_channels; ++c) centre.colour[c] = picture.row(c, best_y)[best_x];
  return centre;
}

class Slic {
 public:
  Slic(const PictureView& picture, const SlicOptions& options, int threads, std::int32_t* labels)
      : picture_(picture), grid_(picture, options.n_segments), threads_(resolve_threads(threads)), labels_(labels) {
    for (std::int64_t row = 0; row < grid_.rows; ++row)
      for (std::int64_t column = 0; column < grid_.columns; ++column) centres_.push_back(first_centre(picture, grid_, row, column));
    weight_ = static_cast<float>(options.compactness * options.compactness / (grid_.step() * grid_.step()));
    parallel_for(picture.height, threads_, [&](std::int64_t y, int) { label_by_cells(y); });
  }

  // One round: returns how many pixels changed.
  std::int64_t step() {
    const auto n = centres_.size();
    const std::int64_t n_tasks = block_count(picture_.height, rows_per_task);
    sums_.assign(static_cast<std::size_t>(threads_), {});
    changes_.assign(static_cast<std::size_t>(n_tasks), 0);
    parallel_for(n_tasks, threads_, [&](std::int64_t task, int thread) {
      auto& sums = sums_[static_cast<std::size_t>(thread)];
      if (sums.empty()) sums.resize(n);
      assign_rows(block_range(picture_.height, rows_per_task, task), sums.data(), changes_[static_cast<std::size_t>(task)]);
    });
    move_centres();
    std::int64_t changed = 0;
    for (const std::int64_t count : changes_) changed += count;
    return changed;
  }

 private:
  void label_by_cells(std::int64_t y) {
    const std::int64_t row = std::min(static_cast<std::int64_t>(static_cast<double>(y) / grid_.row_step), grid_.rows - 1);
    for (std::int64_t column = 0, begin = 0; column < grid_.columns; ++column) {
      const bool is_last = column == grid_.columns - 1;
      const auto end = is_last ? picture_.width : static_cast<std::int64_t>(static_cast<double>(column + 1) * grid_.column_step);
      std::fill(labels_ + y * picture_.width + begin, labels_ + y * picture_.width + end,
                static_cast<std::int32_t>(row * grid_.columns + column));
      begin = end;
    }
  }

  void assign_rows(const Range& rows, Sums* sums, std::int64_t& changed) const {
    const double height = reach * grid_.row_step + 1;
    std::vector<std::int32_t> near;
    for (std::size_t i = 0; i < centres_.size(); ++i)
      if (centres_[i].y + height >= static_cast<double>(rows.begin) && centres_[i].y - height < static_cast<double>(rows.end))
        near.push_back(static_cast<std::int32_t>(i));
    std::vector<float> best(static_cast<std::size_t>(picture_.width));
    std::vector<std::int32_t> before(static_cast<std::size_t>(picture_.width));
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      std::int32_t* labels = labels_ + y * picture_.width;
      std::fill(best.begin(), best.end(), std::numeric_limits<float>::infinity());
      std::copy(labels, labels + picture_.width, before.begin());
      for (const std::int32_t i : near) offer(y, i, best.data(), labels);
      for (std::int64_t x = 0; x < picture_.width; ++x) changed += labels[x] != before[static_cast<std::size_t>(x)];
      add_row(y, labels, sums);
    }
  }

  void offer(std::int64_t y, std::int32_t i, float* best, std::int32_t* labels) const {
    const Centre& centre = centres_[static_cast<std::size_t>(i)];
    const double down = static_cast<double>(y) - centre.y, across = reach * grid_.column_step + 1;
    if (std::abs(down) > reach * grid_.row_step + 1) return;
    CentreOffer offer{};
    offer.n_channels = picture_.n_channels;
    for (std::int64_t c = 0; c < picture_.n_channels; ++c) {
      offer.channels[c] = picture_.row(c, y);
      offer.colour[c] = static_cast<float>(centre.colour[c]);
    }
    offer.begin = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(centre.x - across)));
    offer.end = std::min(picture_.width, static_cast<std::int64_t>(std::floor(centre.x + across)) + 1);
    offer.x = static_cast<float>(centre.x);
    offer.row_cost = static_cast<float>(down * down) * weight_;
    offer.column_weight = weight_;
    offer.label = i;
    offer.best = best;
    offer.labels = labels;
    engine().image.offer_centre(offer);
  }

  void add_row(std::int64_t y, const std::int32_t* labels, Sums* sums) const {
    for (std::int64_t begin = 0, end = 0; begin < picture_.width; begin = end) {
      for (end = begin + 1; end < picture_.width && labels[end] == labels[begin];) ++end;
      const std::int64_t count = end - begin;
      Sums& own = sums[labels[begin]];
      own.count += count;
      own.y += y * count;
      own.x += (begin + end - 1) * count / 2;  // one of the two factors is even
      for (std::int64_t c = 0; c < picture_.n_channels; ++c)
        own.colour[c] += engine().image.sum_run(picture_.row(c, y) + begin, count);
    }
  }

  void move_centres() {
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      Sums total;
      for (const auto& sums : sums_)
        if (!sums.empty()) total.add(sums[i]);
      if (total.count == 0) continue;  // it lost all its pixels: it stays where it was
      const auto count = static_cast<double>(total.count);
      centres_[i].y = static_cast<double>(total.y) / count;
      centres_[i].x = static_cast<double>(total.x) / count;
      for (int t = 0; t < 3; ++t) centres_[i].colour[t] = static_cast<double>(total.colour[t]) / count;
    }
  }

  const PictureView& picture_;
  Grid grid_;
  int threads_;
  std::int32_t* labels_;
  std::vector<Centre> centres_;
  std::vector<std::vector<Sums>> sums_;
  std::vector<std::int64_t> changes_;
  float weight_ = 0;
};

}  // namespace

SlicResult make_superpixels(const PictureView& picture, const SlicOptions& options, int threads, std::int32_t* labels) {
  Slic slic(picture, options, threads, labels);
  std::int64_t n_iter = 0, changed = picture.size();
  while (n_iter < options.max_iter && changed * still > picture.size()) {
    changed = slic.step();
    ++n_iter;
  }
  return {connect_labels(picture, options.min_size, threads, labels), n_iter};
}

}  // namespace coterie
