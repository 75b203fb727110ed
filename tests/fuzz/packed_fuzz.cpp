// Any bytes as a file: gzip, zstd and tar in each other, SQLite, JSON.
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "jissoku/timeline/diagnosis/diagnose.hpp"
#include "jissoku/timeline/importers/import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    return 0;
  }
  const auto traces = jissoku::timeline::importers::import_all({path});
  if (traces) {
    for (const auto& trace : *traces) {
      static_cast<void>(jissoku::timeline::diagnosis::diagnose(trace, {}));
    }
  }
  return 0;
}
