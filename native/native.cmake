# The engine as a static library: sources of native/ once, kernel sources once per instruction set.
if(MSVC AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "Coterie is compiled with GCC or Clang, whose vector types it uses; on Windows with -DCMAKE_CXX_COMPILER=clang++.")
endif()
find_package(OpenMP REQUIRED COMPONENTS CXX)

# Files whose loops profit from wide vectors; every function in them lives in namespace coterie::COTERIE_ISA.
file(GLOB COTERIE_KERNEL_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/*.kernel.cpp
     ${CMAKE_SOURCE_DIR}/native/*/*.kernel.cpp ${CMAKE_SOURCE_DIR}/native/*/*/*.kernel.cpp)
file(GLOB COTERIE_PLAIN_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/*.cpp ${CMAKE_SOURCE_DIR}/native/*/*.cpp
     ${CMAKE_SOURCE_DIR}/native/*/*/*.cpp)
list(FILTER COTERIE_PLAIN_SOURCES EXCLUDE REGEX "(\\.kernel\\.cpp$|/bindings/|/tests/)")

# Kernels of trees, linkage, series, messages, pictures and phylogeny round after every operation: same neighbours on every instruction set,
# bounds that hold exactly, and a distance of two clusters that does not depend on which of them asks.
file(GLOB COTERIE_ROUNDED_KERNELS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/trees/*.kernel.cpp
     ${CMAKE_SOURCE_DIR}/native/density/*.kernel.cpp ${CMAKE_SOURCE_DIR}/native/linkage/*.kernel.cpp
     ${CMAKE_SOURCE_DIR}/native/birch/*.kernel.cpp ${CMAKE_SOURCE_DIR}/native/neighbours/*.kernel.cpp
     ${CMAKE_SOURCE_DIR}/native/series/*.kernel.cpp ${CMAKE_SOURCE_DIR}/native/graph/*.kernel.cpp
     ${CMAKE_SOURCE_DIR}/native/image/*.kernel.cpp ${CMAKE_SOURCE_DIR}/native/phylogeny/*.kernel.cpp)
set_source_files_properties(${COTERIE_ROUNDED_KERNELS} PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
# Lists are short: their entries are moved one by one rather than by a call.
set_source_files_properties(${CMAKE_SOURCE_DIR}/native/neighbours/descent.kernel.cpp PROPERTIES COMPILE_OPTIONS
                            "-ffp-contract=off;$<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>")
# Moments of columns are half a pass of k-means: their loop is worth vectors, without fused operations for the same bits everywhere.
set_source_files_properties(${CMAKE_SOURCE_DIR}/native/kmeans/column_moments.cpp PROPERTIES COMPILE_OPTIONS
                            "$<$<CONFIG:Release>:-O3>;-ffp-contract=off")
# A node's place is one vector, the same on every instruction set.
set_source_files_properties(${CMAKE_SOURCE_DIR}/native/layout/layout.cpp PROPERTIES COMPILE_OPTIONS
                            "$<$<CONFIG:Release>:-O3>;-ffp-contract=off;-Wno-psabi")  # no such vector leaves the file
# Distances of a row to all others are summed side by side.
set_source_files_properties(${CMAKE_SOURCE_DIR}/native/evaluate/valleys.cpp PROPERTIES COMPILE_OPTIONS
                            "$<$<CONFIG:Release>:-O3>;-ffp-contract=off")
# Rounding rows to whole numbers is worth vectors.
set_source_files_properties(${CMAKE_SOURCE_DIR}/native/neighbours/coded_matrix.cpp PROPERTIES COMPILE_OPTIONS
                            "$<$<CONFIG:Release>:-O3>;-ffp-contract=off")
# The costs of a row to all prototypes are summed side by side.
set_source_files_properties(${CMAKE_SOURCE_DIR}/native/categorical/kprototypes.cpp PROPERTIES COMPILE_OPTIONS
                            "$<$<CONFIG:Release>:-O3>;-ffp-contract=off")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(COTERIE_ISA_DEFAULT v2 v3 v4)
else()
  set(COTERIE_ISA_DEFAULT portable)
endif()
set(COTERIE_ISA_LEVELS all CACHE STRING
    "instruction sets to compile the kernels for: v2 v3 v4 portable, or all, or host: the best one of this machine")
if(COTERIE_ISA_LEVELS STREQUAL "all")
  set(COTERIE_ISA_LEVELS ${COTERIE_ISA_DEFAULT})
elseif(COTERIE_ISA_LEVELS STREQUAL "host")
  include(native/support/host_isa.cmake)
  coterie_find_host_isa(COTERIE_ISA_LEVELS)
endif()

add_library(coterie_options INTERFACE)
target_include_directories(coterie_options INTERFACE ${CMAKE_SOURCE_DIR}/native)
target_link_libraries(coterie_options INTERFACE OpenMP::OpenMP_CXX)
# no-math-errno lets sqrt become one instruction; no-trapping-math lets comparisons be blended
target_compile_options(coterie_options INTERFACE -fno-math-errno -fno-trapping-math)
if(COTERIE_TESTS)
  target_compile_options(coterie_options INTERFACE -Wall -Wextra)  # who installs is not shown them, and they take time
endif()
if(COTERIE_SANITIZE)
  target_compile_options(coterie_options INTERFACE -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow
                         -fno-omit-frame-pointer -g1 -Og)  # -O1 takes twice as long to compile
  target_link_options(coterie_options INTERFACE -fsanitize=address,undefined)
endif()
if(COTERIE_SANITIZE_THREADS)
  # parallel.cpp then asks the system how many threads to use: ThreadSanitizer does not understand GCC's OpenMP
  target_compile_definitions(coterie_options INTERFACE COTERIE_STD_THREADS)
  target_compile_options(coterie_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer -g1 -Og)
  target_link_options(coterie_options INTERFACE -fsanitize=thread)
endif()

add_library(coterie_native STATIC ${COTERIE_PLAIN_SOURCES})
target_link_libraries(coterie_native PUBLIC coterie_options)
target_compile_options(coterie_native PRIVATE -ffp-contract=off $<$<CONFIG:Release>:-O2>)  # the hot loops are in the kernels
# Files of one folder are compiled together, which saves a third: within a folder, what they hide has names of its own.
set_target_properties(coterie_native PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
# to GCC a source that is compiled together with others looks like a header, whose lambdas should hold nothing hidden
target_compile_options(coterie_native PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
foreach(source IN LISTS COTERIE_PLAIN_SOURCES)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
endforeach()
target_precompile_headers(coterie_native PRIVATE <algorithm> <atomic> <cmath> <functional> <memory> <numeric> <queue> <string> <vector>)
foreach(level IN LISTS COTERIE_ISA_LEVELS)
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/native/support/cpu_dispatch.cpp APPEND PROPERTY COMPILE_DEFINITIONS COTERIE_HAVE_${level})
  add_library(coterie_kernels_${level} OBJECT ${COTERIE_KERNEL_SOURCES})
  target_link_libraries(coterie_kernels_${level} PRIVATE coterie_options)
  target_compile_definitions(coterie_kernels_${level} PRIVATE COTERIE_ISA=isa_${level})
  target_compile_options(coterie_kernels_${level} PRIVATE -ffp-contract=fast)
  if(NOT COTERIE_SANITIZE AND NOT COTERIE_SANITIZE_THREADS)
    target_compile_options(coterie_kernels_${level} PRIVATE -O3)
  endif()
  if(NOT level STREQUAL "portable")
    target_compile_options(coterie_kernels_${level} PRIVATE -march=x86-64-${level})
    if(level STREQUAL "v4")
      target_compile_options(coterie_kernels_${level} PRIVATE -mprefer-vector-width=512)
    endif()
  endif()
  target_sources(coterie_native PRIVATE $<TARGET_OBJECTS:coterie_kernels_${level}>)
endforeach()
