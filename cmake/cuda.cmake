# Whether the CUDA backend can be built, and how its device code is: one nvcc call (not CMake's CUDA language,
# whose version here knows no C++20 for nvcc 13, and which would give nvcc the flags meant for g++) for machine
# code of every architecture that the toolkit knows and PTX of the newest.
set(cuda_missing "")
if(NOT JISSOKU_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
  if(NOT CUDAToolkit_FOUND OR NOT CUDAToolkit_NVCC_EXECUTABLE)
    set(cuda_missing "no CUDA toolkit (nvcc is neither on PATH nor in /usr/local/cuda/bin)")
  elseif(CUDAToolkit_VERSION VERSION_LESS 12.2)
    set(cuda_missing "CUDA ${CUDAToolkit_VERSION} is older than 12.2")
  elseif(NOT TARGET CUDA::cudart_static)
    set(cuda_missing "the toolkit in ${CUDAToolkit_BIN_DIR} has no libcudart_static.a")
  else()
    find_path(JISSOKU_CUBLASLT_HEADER cublasLt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
    mark_as_advanced(JISSOKU_CUBLASLT_HEADER)
    if(NOT JISSOKU_CUBLASLT_HEADER)
      set(cuda_missing "the toolkit in ${CUDAToolkit_BIN_DIR} has no cublasLt.h (package libcublas-dev)")
    endif()
  endif()
endif()
jissoku_backend_state(cuda "${JISSOKU_CUDA}" "${cuda_missing}")
if(NOT JISSOKU_BUILD_cuda)
  return()
endif()

execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} --list-gpu-arch OUTPUT_VARIABLE cuda_listed)
string(REGEX MATCHALL "compute_[0-9]+" cuda_listed "${cuda_listed}")
list(TRANSFORM cuda_listed REPLACE "compute_" "")
list(SORT cuda_listed COMPARE NATURAL)
set(JISSOKU_CUDA_CODE "")
foreach(architecture ${cuda_listed})
  if(architecture GREATER_EQUAL 70)  # Maxwell and Pascal have no tensor cores to measure
    list(APPEND cuda_built ${architecture})
    list(APPEND JISSOKU_CUDA_CODE -gencode arch=compute_${architecture},code=sm_${architecture})
  endif()
endforeach()
list(GET cuda_built -1 cuda_newest)
list(APPEND JISSOKU_CUDA_CODE -gencode arch=compute_${cuda_newest},code=compute_${cuda_newest})
string(REPLACE ";" "," JISSOKU_CUDA_ARCHITECTURES "${cuda_built}")

# jissoku_cuda_sources(<target> <file.cu>): its device code, and the libraries' headers for the target's C++.
function(jissoku_cuda_sources target source)
  get_filename_component(name ${source} NAME)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(host_compiler "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(host_compiler -ccbin ${CMAKE_CXX_COMPILER})
  endif()
  set(fatal "")
  if(JISSOKU_WARNINGS_AS_ERRORS)
    set(fatal -Werror all-warnings)
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${host_compiler} -std=c++20 -O3 -fmad=false ${fatal}
      -Xcompiler=-fPIC,-Wall,-Wextra,-ffp-contract=off ${JISSOKU_CUDA_CODE} -I${CMAKE_SOURCE_DIR}/src
      -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d VERBATIM
    COMMENT "Building ${name} for ${JISSOKU_CUDA_ARCHITECTURES}")
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${object})
  target_compile_definitions(${target} PRIVATE JISSOKU_CUDA_ARCHITECTURES="${JISSOKU_CUDA_ARCHITECTURES}")
endfunction()
