# One interface target that every target of ours links privately: warnings, sanitizers, run-time library.
add_library(jissoku_flags INTERFACE)
target_compile_options(jissoku_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough
  -ffp-contract=off)  # results must not depend on the compiler's taste; kernels ask for FMA explicitly
if(JISSOKU_WARNINGS_AS_ERRORS)
  target_compile_options(jissoku_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these in optimised libstdc++ code.
  target_compile_options(jissoku_flags INTERFACE -Wno-null-dereference -Wno-restrict)
  if(JISSOKU_SANITIZE MATCHES "address")
    # ... and of this one in <regex> (GCC bug 105562). The other presets keep it.
    target_compile_options(jissoku_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang 14 finds it in NAN and INFINITY, which are constants of type float; g++ looks for the real ones.
  target_compile_options(jissoku_flags INTERFACE -Wno-double-promotion)
endif()
if(JISSOKU_SANITIZE)
  target_compile_options(jissoku_flags INTERFACE
    -fsanitize=${JISSOKU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(jissoku_flags INTERFACE -fsanitize=${JISSOKU_SANITIZE})
endif()
if(JISSOKU_FUZZ)
  target_compile_options(jissoku_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(JISSOKU_STATIC_RUNTIME)
  # Sections that nothing uses must go: libstdc++.a's random_device alone would need glibc 2.36.
  target_link_options(jissoku_flags INTERFACE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
endif()
