// The steps of affinity propagation: columns, then rows in parallel, then who represents itself.
#include "graph/affinity_propagation.h"

#include <algorithm>
#include <cmath>

#include "engine.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t message_tasks = 64;  // each with sums of its own, which are added in their order
constexpr std::int64_t least_message_rows = 16;
constexpr double negligible_share = 1e-22;  // of a number to which it is added: a millionth of its rounding

}  // namespace

template <class T>
struct Messages<T>::Work {
  explicit Work(std::int64_t n) : deviations(n, 0.0), offers(n), before(n), different(n) {}
  std::vector<double> deviations, offers, before;
  std::vector<std::int32_t> different;
};

template <class T>
Messages<T>::Messages(const T* similarities, std::int64_t n, double damping)
    : similarities_(similarities),
      n_(n),
      damping_(damping),
      level_(n, 0.0),
      availability_(n, 0.0),
      own_availability_(n, 0.0),
      column_sums_(n, 0.0),
      favoured_(n),
      deviations_(n) {}

template <class T>
double Messages<T>::own_responsibility(std::int64_t i) const {
  double own = alpha_ * static_cast<double>(similarities_[i * n_ + i]) - level_[i];
  for (std::size_t c = 0; c < favoured_[i].columns.size(); ++c)
    if (favoured_[i].columns[c] == i) own += favoured_[i].values[c];
  return own;
}

template <class T>
void Messages<T>::update_columns() {
  for (std::int64_t k = 0; k < n_; ++k) {
    own_availability_[k] = own_availability_[k] * damping_ - (own_responsibility(k) - column_sums_[k]) * (1 - damping_);
    availability_[k] = availability_[k] * damping_ - std::max(-column_sums_[k], 0.0) * (1 - damping_);
  }
}

// Availabilities of a row from its last responsibilities: those that differ are kept.
template <class T>
BestOffers Messages<T>::update_availabilities(std::int64_t i, Work& work) {
  const T* s = similarities_ + i * n_;
  const MessageCells& favoured = favoured_[i];
  MessageCells& deviations = deviations_[i];
  for (std::size_t c = 0; c < deviations.columns.size(); ++c) work.deviations[deviations.columns[c]] = deviations.values[c];
  const BestOffers found = engine().template of<T>().messages.offer({.similarities = s,
                                                                     .n = n_,
                                                                     .row = i,
                                                                     .damping = damping_,
                                                                     .alpha = alpha_,
                                                                     .level = level_[i],
                                                                     .favoured = favoured.columns.data(),
                                                                     .favours = favoured.values.data(),
                                                                     .n_favoured = static_cast<std::int64_t>(favoured.columns.size()),
                                                                     .column_sums = column_sums_.data(),
                                                                     .availability = availability_.data(),
                                                                     .own_offer = own_availability_[i] + static_cast<double>(s[i]),
                                                                     .deviations = work.deviations.data(),
                                                                     .offers = work.offers.data(),
                                                                     .different = work.different.data(),
                                                                     .before = work.before.data()});
  deviations.columns.clear();
  deviations.values.clear();
  for (std::int64_t c = 0; c < found.n_different; ++c) {
    const std::int32_t k = work.different[c];
    const double deviation = work.deviations[k];
    work.deviations[k] = 0;
    if (std::abs(deviation) <= negligible_share * std::abs(work.offers[k])) continue;  // also where it is 0
    deviations.columns.push_back(k);
    deviations.values.push_back(deviation);
  }
  return found;
}

// The column of the best offer is asked for more, by what it is better than the next; what was asked of others fades.
template <class T>
void Messages<T>::update_favoured(MessageCells& favoured, const BestOffers& found, double level) const {
  const double more = (found.best - found.next) * (1 - damping_);
  std::size_t n_kept = 0;
  bool is_known = false;
  for (std::size_t c = 0; c < favoured.columns.size(); ++c) {
    const bool is_best = favoured.columns[c] == found.at;
    const double value = favoured.values[c] * damping_ + (is_best ? more : 0.0);
    if (!is_best && value <= negligible_share * std::abs(level)) continue;
    is_known = is_known || is_best;
    favoured.columns[n_kept] = favoured.columns[c];
    favoured.values[n_kept++] = value;
  }
  favoured.columns.resize(n_kept);
  favoured.values.resize(n_kept);
  if (is_known) return;
  favoured.columns.push_back(static_cast<std::int32_t>(found.at));
  favoured.values.push_back(more);
}

// The positive responsibilities of a row, and its own whatever the sign.
template <class T>
void Messages<T>::add_responsibilities(std::int64_t i, double alpha, double* sums) const {
  const T* s = similarities_ + i * n_;
  engine().template of<T>().messages.add_positive(s, n_, alpha, level_[i], sums);
  const auto plain = [&](std::int64_t k) { return alpha * static_cast<double>(s[k]) - level_[i]; };
  double own = plain(i);
  sums[i] -= std::max(own, 0.0);
  for (std::size_t c = 0; c < favoured_[i].columns.size(); ++c) {
    const std::int64_t k = favoured_[i].columns[c];
    const double more = favoured_[i].values[c];
    if (k == i)
      own += more;
    else
      sums[k] += std::max(plain(k) + more, 0.0) - std::max(plain(k), 0.0);
  }
  sums[i] += own;
}

template <class T>
void Messages<T>::update_row(std::int64_t i, Work& work, double* sums) {
  const BestOffers found = update_availabilities(i, work);
  level_[i] = level_[i] * damping_ + found.best * (1 - damping_);
  update_favoured(favoured_[i], found, level_[i]);
  add_responsibilities(i, alpha_ * damping_ + (1 - damping_), sums);
}

template <class T>
void Messages<T>::step(std::uint8_t* exemplars, int threads) {
  update_columns();
  const std::int64_t rows_per_task = std::max(least_message_rows, block_count(n_, message_tasks));
  const std::int64_t n_tasks = block_count(n_, rows_per_task);
  std::vector<double> sums(static_cast<std::size_t>(n_tasks * n_), 0.0);
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    const Range rows = block_range(n_, rows_per_task, task);
    Work work(n_);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) update_row(i, work, sums.data() + task * n_);
  });
  alpha_ = alpha_ * damping_ + (1 - damping_);
  std::copy(sums.begin(), sums.begin() + n_, column_sums_.begin());
  for (std::int64_t task = 1; task < n_tasks; ++task)
    for (std::int64_t k = 0; k < n_; ++k) column_sums_[k] += sums[task * n_ + k];
  for (std::int64_t i = 0; i < n_; ++i) {
    // with the availability that the next step will take
    const double own = own_responsibility(i);
    exemplars[i] = own_availability_[i] * damping_ - (own - column_sums_[i]) * (1 - damping_) + own > 0;
  }
}

template class Messages<float>;
template class Messages<double>;

}  // namespace coterie
