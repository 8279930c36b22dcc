#include "support/parallel.h"

#include <nanobind/stl/vector.h>

#include <unordered_set>

#include "bindings/bindings.h"
#include "support/cpu_dispatch.h"
#include "support/not_finite.h"

namespace coterie {
namespace {

// Threads of Python that shall stop, by their idents: signals reach the main thread only, which may wait for others. Guarded by the GIL.
std::unordered_set<unsigned long>& stopped_threads() {
  static auto* const idents = new std::unordered_set<unsigned long>;
  return *idents;
}

// Leaves the KeyboardInterrupt pending: the translator below hands it on.
bool python_wants_to_stop() {
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0 || stopped_threads().contains(PyThread_get_thread_ident());
}

void translate_interrupt(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Interrupted&) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

void translate_not_finite(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const NotFinite& problem) {
    PyErr_SetString(nb::module_::import_("coterie.errors").attr("InvalidData").ptr(), problem.what());
  }
}

}  // namespace

void bind_support(nb::module_& module) {
  set_interrupt_check(python_wants_to_stop);
  nb::register_exception_translator(translate_interrupt);
  nb::register_exception_translator(translate_not_finite);
  module.def(
      "stop_threads", [](const std::vector<unsigned long>& idents) { stopped_threads().insert(idents.begin(), idents.end()); },
      "idents"_a, "End what these threads of Python do in native code with KeyboardInterrupt, until they are released.");
  module.def(
      "release_threads",
      [](const std::vector<unsigned long>& idents) {
        for (const unsigned long ident : idents) stopped_threads().erase(ident);
      },
      "idents"_a, "Take back stop_threads.");
  module.def("default_threads", &default_threads, "Threads that a call with n_threads=0 uses now.");
  module.def("instruction_set", [] { return std::string(engine().name); }, "Name of the kernels in use: v2, v3, v4 or portable.");
  module.def("instruction_sets", &available_instruction_sets, "Kernels that are built in and that this machine can run.");
  module.def("use_instruction_set", &use_instruction_set, "name"_a, "Switch the kernels; for tests and benchmarks.");
}

}  // namespace coterie
