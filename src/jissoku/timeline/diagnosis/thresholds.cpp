#include "jissoku/timeline/diagnosis/thresholds.hpp"

#include <array>

namespace jissoku::timeline::diagnosis::thresholds {
namespace {

constexpr std::array kTable = {
    Row{"idle", "10 / 20 / 50 %", "xprof 10; TraceLens 15; Nsight and TensorBoard 50"},
    Row{"input", "5 %", "TensorBoard plugin 5; xprof 5 / 20"},
    Row{"sync", "3 %", "nsys-ai 2 % and 1 ms"},
    Row{"communication", "5 %", "TraceLens 5; TensorBoard plugin 10"},
    Row{"exposed_copy", "5 %", "TraceLens 5"},
    Row{"transfer_of_busy", "50 %", "xprof 10 notable, 90 dominant"},
    Row{"host_cause", "5 %", "xprof 3 / 15"},
    Row{"straggler", "5 %", "as communication"},
    Row{"inherent_gap", "5 us", "TraceLens 5 us; HTA 30 us"},
    Row{"launch_gap", "1 ms", "own"},
    Row{"drain", "5 us", "TraceLens 5 us"},
    Row{"short_kernels",
        "50 % below 10 us",
        "TraceLens, nsys-ai 10 us; GitM 20 us; refined: or the trace's own launch call"},
    Row{"fp32", "20 %", "xprof: under 10 % in 16 bits; compute capability 7"},
    Row{"pageable", "1 MB per step", "Nsight: any"},
    Row{"low_memory", "50 %", "own"},
    Row{"lost_events", "1 %", "own"},
    Row{"operators_present", "25 %", "own"},
    Row{"launches_without_work", "10 / 50 %", "own"},
    Row{"blocked", "1 ms, 10 %, 10 %", "own, from two traces with missing records"},
    Row{"skew", "10 us, 5 %", "own"},
    Row{"overhead", "5 %", "own"},
    Row{"few_events", "50", "own"},
};

}  // namespace

std::span<const Row> table() {
  return kTable;
}

}  // namespace jissoku::timeline::diagnosis::thresholds
