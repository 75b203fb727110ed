// Where a library of NVIDIA may lie.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace jissoku::backends::cuda {

/// An environment variable's value, or nullptr.
using Environment = std::function<const char*(const char* name)>;

/// What to open, in this order: the library in the folders of JISSOKU_LIBRARY_PATH; by its bare name, which
/// the loader looks for; in the toolkit that CUDA_HOME or CUDA_PATH names; where toolkits of that major
/// version are installed. A JISSOKU_LIBRARY_PATH that starts with "only:" leaves out all but its folders.
std::vector<std::string> library_places(const Environment& environment,
                                        const std::string& library,
                                        int cuda_major);

}  // namespace jissoku::backends::cuda
