#include "linkage/merges.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace coterie {
namespace {

// Which merge made the parts of each merge (-1: a row), and which merge takes its result (-1: none).
struct Family {
  std::vector<std::int64_t> first_part, second_part, whole;
};

Family family_of(const std::vector<SlotMerge>& merges, std::int64_t n) {
  const std::size_t count = merges.size();
  Family family{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count), std::vector<std::int64_t>(count, -1)};
  std::vector<std::int64_t> last(static_cast<std::size_t>(n), -1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto first = static_cast<std::size_t>(merges[k].first), second = static_cast<std::size_t>(merges[k].second);
    family.first_part[k] = last[first];
    family.second_part[k] = last[second];
    for (const std::int64_t part : {last[first], last[second]})
      if (part >= 0) family.whole[static_cast<std::size_t>(part)] = static_cast<std::int64_t>(k);
    last[first] = static_cast<std::int64_t>(k);
  }
  return family;
}

struct Ready {
  double height;
  std::int64_t smaller, larger, merge;
  bool operator>(const Ready& other) const {
    return std::tie(height, smaller, larger) > std::tie(other.height, other.smaller, other.larger);
  }
};

}  // namespace

void make_monotone(std::vector<SlotMerge>& merges, std::int64_t n) {
  const Family family = family_of(merges, n);
  for (std::size_t k = 0; k < merges.size(); ++k)
    for (const std::int64_t part : {family.first_part[k], family.second_part[k]})
      if (part >= 0) merges[k].height = std::max(merges[k].height, merges[static_cast<std::size_t>(part)].height);
}

void write_linkage(const std::vector<SlotMerge>& merges, std::int64_t n, double* out) {
  const Family family = family_of(merges, n);
  std::vector<std::int64_t> id(merges.size(), -1), size(merges.size(), 0);
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
  const auto id_of = [&](std::int64_t part, std::int32_t row) { return part < 0 ? row : id[static_cast<std::size_t>(part)]; };
  const auto offer = [&](std::size_t k) {
    const std::int64_t a = id_of(family.first_part[k], merges[k].first), b = id_of(family.second_part[k], merges[k].second);
    if (a >= 0 && b >= 0) ready.push({merges[k].height, std::min(a, b), std::max(a, b), static_cast<std::int64_t>(k)});
  };
  const auto size_of = [&](std::int64_t part) { return part < 0 ? 1 : size[static_cast<std::size_t>(part)]; };
  for (std::size_t k = 0; k < merges.size(); ++k)
    if (family.first_part[k] < 0 && family.second_part[k] < 0) offer(k);
  for (std::int64_t next = n; !ready.empty(); ++next, out += 4) {
    const Ready now = ready.top();
    ready.pop();
    const auto k = static_cast<std::size_t>(now.merge);
    id[k] = next;
    size[k] = size_of(family.first_part[k]) + size_of(family.second_part[k]);
    out[0] = static_cast<double>(now.smaller);
    out[1] = static_cast<double>(now.larger);
    out[2] = now.height;
    out[3] = static_cast<double>(size[k]);
    if (family.whole[k] >= 0) offer(static_cast<std::size_t>(family.whole[k]));
  }
}

}  // namespace coterie
