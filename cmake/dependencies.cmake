# Libraries that are linked; found here, once, because imported targets are seen only below the folder that
# finds them. What runs through dlopen (the GEMM engines) is not known to the build.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
# Header only: writes the CPU kernels of our own engine as machine code, on x86-64.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  find_path(XBYAK_INCLUDE_DIR xbyak/xbyak.h REQUIRED)
endif()
# Header only as used here: vectors of the number formats, from one source for each instruction set.
find_path(HWY_INCLUDE_DIR hwy/highway.h REQUIRED)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
find_package(SQLite3 REQUIRED)
# OpenCL's loader is linked into its plugin; CLBlast is opened at run time and gives its header only.
find_package(OpenCL QUIET)
find_path(CLBLAST_INCLUDE_DIR clblast_c.h)
