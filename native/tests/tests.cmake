# One executable of C++ tests; `coterie_tests NAME` runs those whose names contain NAME, `coterie_tests 1/2` every second one.
file(GLOB COTERIE_TEST_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/tests/*_test.cpp)
add_executable(coterie_tests native/tests/main.cpp ${COTERIE_TEST_SOURCES})
target_link_libraries(coterie_tests PRIVATE coterie_native)
target_compile_options(coterie_tests PRIVATE -ffp-contract=off)  # oracles round after every operation, also where the processor could fuse
foreach(part 1 2)
  add_test(NAME coterie_tests_${part} COMMAND coterie_tests ${part}/2)
  set_tests_properties(coterie_tests_${part} PROPERTIES TIMEOUT 1200)  # a busy machine is no failure
endforeach()

# The linker keeps one of several weak definitions of a name: one that a wide kernel leaks would run on narrow machines.
set(COTERIE_SYMBOL_CHECK ${CMAKE_SOURCE_DIR}/native/tests/kernel_symbols.cmake)
foreach(level IN LISTS COTERIE_ISA_LEVELS)
  add_test(NAME kernel_symbols_${level}
           COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DNAMESPACE=isa_${level}
                   "-DOBJECTS=$<TARGET_OBJECTS:coterie_kernels_${level}>" -P ${COTERIE_SYMBOL_CHECK})
endforeach()
