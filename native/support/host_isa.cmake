# The best instruction set that this machine runs: the name of a level of native.cmake.
function(coterie_find_host_isa result)
  set(source ${CMAKE_BINARY_DIR}/host_isa.cpp)
  file(WRITE ${source} "
    #define HAS(feature) __builtin_cpu_supports(feature)
    int main() {
      if (!HAS(\"sse4.2\") || !HAS(\"popcnt\")) return 0;
      if (!HAS(\"avx2\") || !HAS(\"fma\") || !HAS(\"bmi2\")) return 2;
      const bool is_wide = HAS(\"avx512f\") && HAS(\"avx512bw\") && HAS(\"avx512cd\") && HAS(\"avx512dq\") && HAS(\"avx512vl\");
      return is_wide ? 4 : 3;
    }\n")
  try_run(level was_compiled ${CMAKE_BINARY_DIR}/host_isa ${source})
  if(was_compiled AND level MATCHES "^[234]$")
    set(${result} v${level} PARENT_SCOPE)
  else()
    set(${result} portable PARENT_SCOPE)
  endif()
endfunction()
