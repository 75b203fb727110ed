# The CUDA plugin on a pretended runtime (support/fake_cuda): the conformance suite runs on it, and lets
# each of its calls fail. Built where the plugin is; a folder with all that the plugin opens.
set(fake_folder ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)
set(JISSOKU_FAKE_CUDA_FOLDER "")
if(NOT TARGET jissoku_cuda)
  return()
endif()
set(JISSOKU_FAKE_CUDA_FOLDER ${fake_folder})

# Its functions come before those of libcudart_static and of kernels.cu, which then nothing asks for.
add_library(fake_cuda_plugin MODULE ${CMAKE_SOURCE_DIR}/src/jissoku/backends/cuda/plugin.cpp
  support/fake_cuda/cudart.cpp)
set_target_properties(fake_cuda_plugin PROPERTIES PREFIX "" OUTPUT_NAME jissoku_cuda
  LIBRARY_OUTPUT_DIRECTORY ${fake_folder} CXX_VISIBILITY_PRESET hidden)
target_link_libraries(fake_cuda_plugin PRIVATE jissoku::cuda jissoku_flags CUDA::cudart_static)
target_link_options(fake_cuda_plugin PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL)

# One file under the three names that are opened.
add_library(fake_cuda_libraries MODULE support/fake_cuda/libraries.cpp)
set_target_properties(fake_cuda_libraries PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME libcuda.so.1
  LIBRARY_OUTPUT_DIRECTORY ${fake_folder})
target_include_directories(fake_cuda_libraries SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(fake_cuda_libraries PRIVATE jissoku::numerics jissoku_flags)
target_link_options(fake_cuda_libraries PRIVATE -Wl,-soname,libcuda.so.1)  # found by that name once it is open
foreach(name libnvidia-ml.so.1 libcublasLt.so.${CUDAToolkit_VERSION_MAJOR})
  add_custom_command(TARGET fake_cuda_libraries POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink libcuda.so.1 ${fake_folder}/${name} VERBATIM)
endforeach()

add_dependencies(tests_conformance fake_cuda_plugin fake_cuda_libraries)
add_dependencies(unit_cuda_fake fake_cuda_plugin fake_cuda_libraries)
set(environment "JISSOKU_PLUGIN_PATH=${fake_folder}" "LD_LIBRARY_PATH=${fake_folder}"
  "JISSOKU_LIBRARY_PATH=only:${fake_folder}")
add_test(NAME CudaPlugin.ConformsOnAPretendedRuntime COMMAND conformance_device --gtest_filter=*cuda_0*)
add_test(NAME CudaPlugin.FailsInTurnOnAPretendedRuntime COMMAND conformance_failures --gtest_filter=*cuda_0*)
set_tests_properties(CudaPlugin.ConformsOnAPretendedRuntime CudaPlugin.FailsInTurnOnAPretendedRuntime PROPERTIES
  LABELS conformance_cuda TIMEOUT 600 ENVIRONMENT "${environment}"
  PASS_REGULAR_EXPRESSION "\\[  PASSED  \\] [1-9]" FAIL_REGULAR_EXPRESSION "FAILED;SKIPPED")
