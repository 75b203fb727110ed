# The programs of bench/: they show where the product stands, and are no part of it. JISSOKU_BENCH builds
# them (./dev bench turns it on in a build folder of its own); what of them can be tested is a library.
option(JISSOKU_BENCH "Build the programs of bench/" OFF)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(jissoku_bench STATIC EXCLUDE_FROM_ALL
  bench/gemm/options.cpp bench/gemm/standing.cpp bench/gemm/table.cpp bench/overheads/report.cpp)
target_include_directories(jissoku_bench PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(jissoku_bench PUBLIC jissoku::measure PRIVATE jissoku_flags
  fmt::fmt-header-only nlohmann_json::nlohmann_json)
if(TARGET unit_bench)  # tests/unit/bench
  target_link_libraries(unit_bench PRIVATE jissoku_bench)
endif()
if(NOT JISSOKU_BENCH)
  return()
endif()

set(bench_folder ${CMAKE_BINARY_DIR}/bench)

# A library outside of the product, as a module that bench_gemm opens if it is there. Built as its users
# would: without our flags, of which -ffp-contract=off is one. g++ 12 warns about its own AVX-512 headers.
function(jissoku_rival name source)
  add_library(rival_${name} MODULE ${source})
  set_target_properties(rival_${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${bench_folder})
  target_include_directories(rival_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(rival_${name} PRIVATE -O3 -march=native -fopenmp
    -Wall -Wextra -Wno-maybe-uninitialized)
  target_link_libraries(rival_${name} PRIVATE ${ARGN} -fopenmp)
endfunction()

add_executable(bench_gemm bench/gemm/main.cpp bench/gemm/contest.cpp bench/gemm/rival.cpp bench/gemm/torch_rival.cpp)
target_compile_definitions(bench_gemm PRIVATE JISSOKU_RIVALS_FOLDER="${bench_folder}"
  JISSOKU_TORCH_WORKER="${CMAKE_SOURCE_DIR}/bench/rivals/torch_worker.py")
add_executable(bench_overheads bench/overheads/main.cpp bench/overheads/harness.cpp
  bench/overheads/null_device.cpp bench/overheads/program.cpp)
add_executable(bench_instructions bench/instructions/main.cpp)
add_executable(bench_precision bench/precision/main.cpp)
add_executable(bench_timeline bench/timeline/main.cpp bench/timeline/repeat.cpp)
target_link_libraries(bench_timeline PRIVATE jissoku::timeline PkgConfig::isal)
foreach(program bench_gemm bench_overheads bench_instructions bench_precision bench_timeline)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${bench_folder})
  target_link_libraries(${program} PRIVATE jissoku_bench jissoku::cli fmt::fmt-header-only
    nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS} jissoku_flags)
endforeach()

find_package(Eigen3 3.3 NO_MODULE QUIET)
if(TARGET Eigen3::Eigen)
  jissoku_rival(eigen bench/rivals/eigen.cpp Eigen3::Eigen)
  add_dependencies(bench_gemm rival_eigen)
endif()
find_package(PkgConfig QUIET)
pkg_check_modules(libxsmm QUIET libxsmm)
if(libxsmm_FOUND)
  # Debian has static archives only. noblas: its own kernels, or an error, never another BLAS.
  jissoku_rival(libxsmm bench/rivals/libxsmm.cpp xsmmext xsmm xsmmnoblas rt)
  add_dependencies(bench_gemm rival_libxsmm)
endif()
