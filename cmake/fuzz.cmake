# libFuzzer targets (JISSOKU_FUZZ, for clang with sanitizers: `./dev fuzz`), one per importer.
option(JISSOKU_FUZZ "Build the fuzz targets of tests/fuzz" OFF)
if(NOT JISSOKU_FUZZ)
  return()
endif()
function(jissoku_fuzz name source)
  add_executable(fuzz_${name} tests/fuzz/${source})
  target_compile_definitions(fuzz_${name} PRIVATE ${ARGN})
  target_link_libraries(fuzz_${name} PRIVATE jissoku::timeline jissoku_flags -fsanitize=fuzzer)
endfunction()
jissoku_fuzz(chrome chrome_fuzz.cpp)
jissoku_fuzz(rocprof chrome_fuzz.cpp JISSOKU_FUZZ_ROCPROF)
jissoku_fuzz(packed packed_fuzz.cpp)  # also Nsight's SQLite, by its first bytes
