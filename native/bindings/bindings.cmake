# From Python 3.12 on, one module serves that version and all newer ones (wheel.py-api in pyproject.toml asks for it): it uses the
# stable ABI. For 3.11, and when CMake is run by hand, it is a module for this version.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT)
find_package(nanobind CONFIG REQUIRED)

file(GLOB COTERIE_BINDING_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/bindings/*.cpp)
if(SKBUILD_SABI_COMPONENT)
  set(COTERIE_STABLE_ABI STABLE_ABI)
endif()
nanobind_add_module(_core ${COTERIE_STABLE_ABI} NB_STATIC NOSTRIP ${COTERIE_BINDING_SOURCES})
target_link_libraries(_core PRIVATE coterie_native)
# Arguments are unpacked here and nothing is computed. -O1 compiles in half of the time of nanobind's -Os, and precompiled headers
# save as much again.
target_compile_options(_core PRIVATE $<$<CONFIG:Release>:-O1> -ffp-contract=off)
target_precompile_headers(_core PRIVATE ${CMAKE_SOURCE_DIR}/native/bindings/bindings.h <nanobind/stl/pair.h> <nanobind/stl/tuple.h>
                          <nanobind/stl/vector.h> <algorithm> <cmath> <memory> <stdexcept> <vector>)
# Six at a time save half once more: what these files hide has names of its own.
set_target_properties(_core PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
target_compile_options(_core PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
install(TARGETS _core LIBRARY DESTINATION coterie)
# nanobind is made to be compiled in one piece: a third of the time
if(TARGET nanobind-static)
  set_target_properties(nanobind-static PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_compile_options(nanobind-static PRIVATE $<$<CONFIG:Release>:-O1>)
endif()
