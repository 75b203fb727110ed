// The program's entry: hands the arguments on and makes sure that nothing ends in an abort.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "jissoku/cli/program.hpp"
#include "jissoku/cli/streams.hpp"

int main(int argc, char** argv) {
  using jissoku::core::ExitCode;
  jissoku::cli::prepare_standard_streams();
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(jissoku::cli::run_program(arguments));
  } catch (const std::exception& failure) {
    // Without the catalogue: it may be what failed.
    std::fprintf(stderr,
                 "jissoku: internal error: %s; please report it with the command line\n",
                 jissoku::cli::one_line(failure.what()).c_str());
    return static_cast<int>(ExitCode::internal);
  }
}
