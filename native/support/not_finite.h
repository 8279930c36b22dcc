// Thrown where an answer would have to be read from distances that are not numbers: no index comes from a comparison that they spoil.
#pragma once

#include <exception>

namespace coterie {

struct NotFinite : std::exception {
  const char* what() const noexcept override {
    return "some distances are infinite or not numbers, although they must be finite: values are so large that sums of them overflow, "
           "or one was missing. Scale the data first, e.g. with sklearn.preprocessing.StandardScaler.";
  }
};

}  // namespace coterie
