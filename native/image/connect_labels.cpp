// Connected parts of a labelled picture, by runs of equal labels in its rows.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "image/superpixels.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

struct Run {
  std::int64_t begin, end;  // columns
  std::int32_t label;
};

struct Part {
  std::int64_t size = 0;
  std::int64_t colour[3] = {};
};

// Sets of numbers; a set is known by its smallest.
class Sets {
 public:
  explicit Sets(std::int64_t n) : parents_(static_cast<std::size_t>(n)) {
    std::iota(parents_.begin(), parents_.end(), std::int64_t{0});
  }

  std::int64_t find(std::int64_t i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }

  // Returns the one that both are known by now.
  std::int64_t unite(std::int64_t i, std::int64_t j) {
    i = find(i);
    j = find(j);
    return parent(std::max(i, j)) = std::min(i, j);
  }

 private:
  std::int64_t& parent(std::int64_t i) { return parents_[static_cast<std::size_t>(i)]; }
  std::vector<std::int64_t> parents_;
};

class Connection {
 public:
  Connection(const PictureView& picture, int threads, std::int32_t* labels) : picture_(picture), threads_(threads), labels_(labels) {
    find_runs();
    find_parts();
  }

  // Joins parts of fewer than min_size pixels, the smallest first, to the neighbour of nearest colour.
  void join_small(std::int64_t min_size) {
    find_neighbours(min_size);
    std::vector<std::int64_t> small;
    for (std::int64_t part = 0; part < n_parts(); ++part)
      if (parts_[static_cast<std::size_t>(part)].size < min_size) small.push_back(part);
    std::stable_sort(small.begin(), small.end(), [&](std::int64_t a, std::int64_t b) {
      return parts_[static_cast<std::size_t>(a)].size < parts_[static_cast<std::size_t>(b)].size;
    });
    Sets sets(n_parts());
    for (const std::int64_t part : small) {
      const std::int64_t own = sets.find(part);
      if (parts_[static_cast<std::size_t>(own)].size >= min_size) continue;
      const std::int64_t other = nearest_neighbour(own, sets);
      if (other >= 0) join(own, other, sets);
    }
    for (std::int64_t part = 0; part < n_parts(); ++part) part_of_part_.push_back(sets.find(part));
  }

  // Writes the parts that are left, numbered by their first pixels.
  Regions write() {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(n_parts()), -1);
    Regions regions;
    for (std::int64_t part = 0; part < n_parts(); ++part) {  // parts are in the order of their first pixels
      std::int32_t& number = numbers[static_cast<std::size_t>(part_of_part_[static_cast<std::size_t>(part)])];
      if (number >= 0) continue;
      const Part& own = parts_[static_cast<std::size_t>(part_of_part_[static_cast<std::size_t>(part)])];
      number = static_cast<std::int32_t>(regions.sizes.size());
      regions.sizes.push_back(own.size);
      regions.colours.insert(regions.colours.end(), own.colour, own.colour + picture_.n_channels);
    }
    parallel_for(picture_.height, threads_, [&](std::int64_t y, int) {
      for (std::int64_t at = row_starts_[static_cast<std::size_t>(y)]; at < row_starts_[static_cast<std::size_t>(y + 1)]; ++at) {
        const std::int64_t part = part_of_run_[static_cast<std::size_t>(at)];
        const Run& own = run(at);
        std::fill(labels_ + y * picture_.width + own.begin, labels_ + y * picture_.width + own.end,
                  numbers[static_cast<std::size_t>(part_of_part_[static_cast<std::size_t>(part)])]);
      }
    });
    return regions;
  }

 private:
  std::int64_t n_parts() const { return static_cast<std::int64_t>(parts_.size()); }
  const Run& run(std::int64_t at) const { return runs_[static_cast<std::size_t>(at)]; }

  void find_runs() {
    row_starts_.push_back(0);
    for (std::int64_t y = 0; y < picture_.height; ++y) {
      const std::int32_t* labels = labels_ + y * picture_.width;
      for (std::int64_t begin = 0, end = 0; begin < picture_.width; begin = end) {
        for (end = begin + 1; end < picture_.width && labels[end] == labels[begin];) ++end;
        runs_.push_back({begin, end, labels[begin]});
      }
      row_starts_.push_back(static_cast<std::int64_t>(runs_.size()));
    }
  }

  // Calls what(above, below) for every two runs of rows y - 1 and y that touch.
  template <class What>
  void touching(std::int64_t y, What&& what) const {
    std::int64_t above = row_starts_[static_cast<std::size_t>(y - 1)], below = row_starts_[static_cast<std::size_t>(y)];
    const std::int64_t above_end = below, below_end = row_starts_[static_cast<std::size_t>(y + 1)];
    while (above < above_end && below < below_end) {
      what(above, below);
      const std::int64_t one = run(above).end, other = run(below).end;
      above += one <= other;
      below += other <= one;
    }
  }

  void find_parts() {
    Sets sets(static_cast<std::int64_t>(runs_.size()));
    for (std::int64_t y = 1; y < picture_.height; ++y)
      touching(y, [&](std::int64_t above, std::int64_t below) {
        if (run(above).label == run(below).label) sets.unite(above, below);
      });
    const std::vector<Part> sums = run_sums();
    part_of_run_.resize(runs_.size());
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(runs_.size()); ++at) {
      const std::int64_t first = sets.find(at);
      if (first == at) {
        part_of_run_[static_cast<std::size_t>(at)] = n_parts();
        parts_.emplace_back();
      } else {
        part_of_run_[static_cast<std::size_t>(at)] = part_of_run_[static_cast<std::size_t>(first)];
      }
      add(parts_[static_cast<std::size_t>(part_of_run_[static_cast<std::size_t>(at)])], sums[static_cast<std::size_t>(at)]);
    }
  }

  std::vector<Part> run_sums() const {
    std::vector<Part> sums(runs_.size());
    parallel_for(picture_.height, threads_, [&](std::int64_t y, int) {
      for (std::int64_t at = row_starts_[static_cast<std::size_t>(y)]; at < row_starts_[static_cast<std::size_t>(y + 1)]; ++at) {
        Part& own = sums[static_cast<std::size_t>(at)];
        own.size = run(at).end - run(at).begin;
        for (std::int64_t c = 0; c < picture_.n_channels; ++c)
          own.colour[c] = engine().image.sum_run(picture_.row(c, y) + run(at).begin, own.size);
      }
    });
    return sums;
  }

  static void add(Part& to, const Part& from) {
    to.size += from.size;
    for (int t = 0; t < 3; ++t) to.colour[t] += from.colour[t];
  }

  // The neighbours of small parts; nobody else is asked.
  void find_neighbours(std::int64_t min_size) {
    neighbours_.resize(parts_.size());
    const auto note = [&](std::int64_t a, std::int64_t b) {
      if (parts_[static_cast<std::size_t>(a)].size < min_size) neighbours_[static_cast<std::size_t>(a)].push_back(b);
    };
    const auto meet = [&](std::int64_t one, std::int64_t other) {
      const std::int64_t a = part_of_run_[static_cast<std::size_t>(one)], b = part_of_run_[static_cast<std::size_t>(other)];
      if (a == b) return;
      note(a, b);
      note(b, a);
    };
    for (std::int64_t y = 0; y < picture_.height; ++y) {
      for (std::int64_t at = row_starts_[static_cast<std::size_t>(y)] + 1; at < row_starts_[static_cast<std::size_t>(y + 1)]; ++at)
        meet(at - 1, at);
      if (y > 0) touching(y, meet);
    }
    for (auto& near : neighbours_) unique(near);
  }

  static void unique(std::vector<std::int64_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  double squared_distance(const Part& one, const Part& other) const {
    double squared = 0;
    for (int t = 0; t < 3; ++t) {
      const double apart = static_cast<double>(one.colour[t]) / static_cast<double>(one.size) -
                           static_cast<double>(other.colour[t]) / static_cast<double>(other.size);
      squared += apart * apart;
    }
    return squared;
  }

  // Ties by the first pixel; -1 without any neighbour.
  std::int64_t nearest_neighbour(std::int64_t own, Sets& sets) {
    auto& near = neighbours_[static_cast<std::size_t>(own)];
    for (auto& other : near) other = sets.find(other);
    unique(near);
    std::int64_t found = -1;
    double least = 0;
    for (const std::int64_t other : near) {
      if (other == own) continue;
      const double apart = squared_distance(parts_[static_cast<std::size_t>(own)], parts_[static_cast<std::size_t>(other)]);
      if (found < 0 || apart < least) {
        found = other;
        least = apart;
      }
    }
    return found;
  }

  void join(std::int64_t own, std::int64_t other, Sets& sets) {
    Part both = parts_[static_cast<std::size_t>(own)];
    add(both, parts_[static_cast<std::size_t>(other)]);
    auto near = std::move(neighbours_[static_cast<std::size_t>(own)]);
    auto& others = neighbours_[static_cast<std::size_t>(other)];
    if (near.size() < others.size()) near.swap(others);
    near.insert(near.end(), others.begin(), others.end());
    others.clear();
    const std::int64_t known = sets.unite(own, other);
    parts_[static_cast<std::size_t>(known)] = both;
    neighbours_[static_cast<std::size_t>(known)] = std::move(near);
  }

  const PictureView& picture_;
  int threads_;
  std::int32_t* labels_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> row_starts_, part_of_run_, part_of_part_;
  std::vector<Part> parts_;
  std::vector<std::vector<std::int64_t>> neighbours_;
};

}  // namespace

Regions connect_labels(const PictureView& picture, std::int64_t min_size, int threads, std::int32_t* labels) {
  Connection connection(picture, threads, labels);
  connection.join_small(min_size);
  return connection.write();
}

}  // namespace coterie
