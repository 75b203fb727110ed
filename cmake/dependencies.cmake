# Libraries that are linked; found here, once, because imported targets are seen only below the folder that
# finds them. What runs through dlopen (the GEMM engines) is not known to the build.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
# OpenCL's loader is linked into its plugin; CLBlast is opened at run time and gives its header only.
find_package(OpenCL QUIET)
find_path(CLBLAST_INCLUDE_DIR clblast_c.h)
