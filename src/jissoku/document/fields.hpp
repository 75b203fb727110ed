// The fields of every struct of the run document: key and member, in the order in which they are
// written. One list drives the writer, the reader and the test that compares both to
// schema/run.schema.json; a struct member that is missing here does not compile.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jissoku/document/model.hpp"

namespace jissoku::document {

template <typename Struct, typename Member>
struct Field {
  std::string_view key;
  Member Struct::*member;
};

template <typename Struct, typename Member>
constexpr Field<Struct, Member> field(std::string_view key, Member Struct::*member) {
  return {key, member};
}

/// Specialised below with `static constexpr auto kList`, a tuple of Field.
template <typename Struct>
struct Fields;

template <typename Struct>
concept HasFields = requires {
  Fields<Struct>::kList;
};

/// Calls visit(key, member) for every field of a struct, const or not, until one call returns false.
template <typename Struct, typename Visit>
bool visit_fields(Struct& subject, Visit&& visit) {
  return std::apply(
      [&](const auto&... fields) { return (visit(fields.key, subject.*(fields.member)) && ...); },
      Fields<std::remove_const_t<Struct>>::kList);
}

template <>
struct Fields<Sample> {
  static constexpr auto kList = std::make_tuple(field("launches", &Sample::launches),
                                                field("host_ns", &Sample::host_ns),
                                                field("device_ns", &Sample::device_ns),
                                                field("cpu_ns", &Sample::cpu_ns),
                                                field("foreign_cpu_share", &Sample::foreign_cpu_share),
                                                field("steal_share", &Sample::steal_share),
                                                field("probe_ns", &Sample::probe_ns));
};

template <>
struct Fields<Ceiling> {
  static constexpr auto kList = std::make_tuple(field("kind", &Ceiling::kind),
                                                field("per_second", &Ceiling::per_second),
                                                field("detail", &Ceiling::detail),
                                                field("provenance", &Ceiling::provenance));
};

template <>
struct Fields<Implementation> {
  static constexpr auto kList = std::make_tuple(field("variant", &Implementation::variant),
                                                field("library", &Implementation::library),
                                                field("file", &Implementation::file),
                                                field("kernel", &Implementation::kernel),
                                                field("threads", &Implementation::threads),
                                                field("pinning", &Implementation::pinning),
                                                field("paging", &Implementation::paging),
                                                field("chosen", &Implementation::chosen),
                                                field("notes", &Implementation::notes));
};

template <>
struct Fields<numerics::Verification> {
  using V = numerics::Verification;
  static constexpr auto kList = std::make_tuple(field("done", &V::done),
                                                field("passed", &V::passed),
                                                field("self_test", &V::self_test),
                                                field("method", &V::method),
                                                field("detection_limit", &V::detection_limit),
                                                field("typical_value", &V::typical_value),
                                                field("largest_error", &V::largest_error),
                                                field("largest_error_in_bounds", &V::largest_error_in_bounds),
                                                field("elements", &V::elements),
                                                field("elements_compared", &V::elements_compared),
                                                field("cost_ns", &V::cost_ns),
                                                field("finding", &V::finding));
};

template <>
struct Fields<Row> {
  static constexpr auto kList = std::make_tuple(field("id", &Row::id),
                                                field("experiment", &Row::experiment),
                                                field("device", &Row::device),
                                                field("status", &Row::status),
                                                field("reason", &Row::reason),
                                                field("parameters", &Row::parameters),
                                                field("implementation", &Row::implementation),
                                                field("samples", &Row::samples),
                                                field("timing", &Row::timing),
                                                field("flops", &Row::flops),
                                                field("bytes", &Row::bytes),
                                                field("probe_flops", &Row::probe_flops),
                                                field("ceilings", &Row::ceilings),
                                                field("baseline", &Row::baseline),
                                                field("verification", &Row::verification),
                                                field("timed_verification", &Row::timed_verification),
                                                field("telemetry", &Row::telemetry),
                                                field("warmup_ns", &Row::warmup_ns),
                                                field("run_to_run", &Row::run_to_run),
                                                field("again", &Row::again));
};

template <>
struct Fields<Fit::Parameter> {
  using P = Fit::Parameter;
  static constexpr auto kList = std::make_tuple(field("name", &P::name),
                                                field("unit", &P::unit),
                                                field("value", &P::value),
                                                field("low", &P::low),
                                                field("high", &P::high));
};

template <>
struct Fields<Fit> {
  static constexpr auto kList = std::make_tuple(field("id", &Fit::id),
                                                field("model", &Fit::model),
                                                field("device", &Fit::device),
                                                field("parameters", &Fit::parameters),
                                                field("rows", &Fit::rows));
};

template <>
struct Fields<Series> {
  static constexpr auto kList = std::make_tuple(field("id", &Series::id),
                                                field("device", &Series::device),
                                                field("x_name", &Series::x_name),
                                                field("y_name", &Series::y_name),
                                                field("x_unit", &Series::x_unit),
                                                field("y_unit", &Series::y_unit),
                                                field("x", &Series::x),
                                                field("y", &Series::y));
};

template <>
struct Fields<Attachment> {
  static constexpr auto kList = std::make_tuple(field("id", &Attachment::id),
                                                field("kind", &Attachment::kind),
                                                field("media_type", &Attachment::media_type),
                                                field("path", &Attachment::path),
                                                field("content", &Attachment::content),
                                                field("parameters", &Attachment::parameters));
};

template <>
struct Fields<Finding> {
  static constexpr auto kList = std::make_tuple(field("id", &Finding::id),
                                                field("severity", &Finding::severity),
                                                field("message", &Finding::message),
                                                field("rows", &Finding::rows));
};

template <>
struct Fields<DeviceRecord> {
  static constexpr auto kList = std::make_tuple(field("id", &DeviceRecord::id),
                                                field("name", &DeviceRecord::name),
                                                field("backend", &DeviceRecord::backend),
                                                field("fingerprint", &DeviceRecord::fingerprint),
                                                field("driver", &DeviceRecord::driver),
                                                field("is_host", &DeviceRecord::is_host),
                                                field("modelled", &DeviceRecord::modelled),
                                                field("compute_units", &DeviceRecord::compute_units),
                                                field("memory_bytes", &DeviceRecord::memory_bytes),
                                                field("notes", &DeviceRecord::notes));
};

template <>
struct Fields<PlannedCase> {
  static constexpr auto kList = std::make_tuple(field("id", &PlannedCase::id),
                                                field("run", &PlannedCase::run),
                                                field("predicted_ns", &PlannedCase::predicted_ns),
                                                field("reason", &PlannedCase::reason));
};

template <>
struct Fields<core::Cache> {
  static constexpr auto kList = std::make_tuple(field("level", &core::Cache::level),
                                                field("size_bytes", &core::Cache::size_bytes),
                                                field("shared_by_cpus", &core::Cache::shared_by_cpus));
};

template <>
struct Fields<core::Machine> {
  using M = core::Machine;
  static constexpr auto kList = std::make_tuple(field("hostname_hash", &M::hostname_hash),
                                                field("cpu_model", &M::cpu_model),
                                                field("architecture", &M::architecture),
                                                field("isa", &M::isa),
                                                field("packages", &M::packages),
                                                field("cores", &M::cores),
                                                field("hardware_threads", &M::hardware_threads),
                                                field("numa_nodes", &M::numa_nodes),
                                                field("caches", &M::caches),
                                                field("allowed_cpus", &M::allowed_cpus),
                                                field("cgroup_cpu_quota", &M::cgroup_cpu_quota),
                                                field("usable_threads", &M::usable_threads),
                                                field("memory_bytes", &M::memory_bytes),
                                                field("memory_available_bytes", &M::memory_available_bytes),
                                                field("os", &M::os),
                                                field("kernel", &M::kernel),
                                                field("virtualisation", &M::virtualisation),
                                                field("clocksource", &M::clocksource),
                                                field("governor", &M::governor),
                                                field("huge_pages", &M::huge_pages),
                                                field("turbo", &M::turbo),
                                                field("notes", &M::notes));
};

template <>
struct Fields<Header> {
  static constexpr auto kList = std::make_tuple(field("tool_version", &Header::tool_version),
                                                field("command", &Header::command),
                                                field("arguments", &Header::arguments),
                                                field("seed", &Header::seed),
                                                field("started_at", &Header::started_at),
                                                field("machine", &Header::machine),
                                                field("devices", &Header::devices),
                                                field("unavailable", &Header::unavailable));
};

/// The two version numbers are written together, as the key "schema": "1.0".
template <>
struct Fields<Document> {
  static constexpr auto kList = std::make_tuple(field("schema_major", &Document::schema_major),
                                                field("schema_minor", &Document::schema_minor),
                                                field("complete", &Document::complete),
                                                field("finished_at", &Document::finished_at),
                                                field("header", &Document::header),
                                                field("noise_floor", &Document::noise_floor),
                                                field("plan", &Document::plan),
                                                field("rows", &Document::rows),
                                                field("fits", &Document::fits),
                                                field("series", &Document::series),
                                                field("attachments", &Document::attachments),
                                                field("findings", &Document::findings));
};

namespace fields_detail {

/// Converts to anything, so that counting the initialisers an aggregate takes counts its members.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <typename Struct, typename... Initialisers>
constexpr std::size_t count_members() {
  if constexpr (requires { Struct{Initialisers{}..., Anything{}}; }) {
    return count_members<Struct, Initialisers..., Anything>();
  } else {
    return sizeof...(Initialisers);
  }
}

template <typename... Structs>
constexpr bool lists_are_complete() {
  return ((std::tuple_size_v<std::remove_const_t<decltype(Fields<Structs>::kList)>> ==
           count_members<Structs>()) &&
          ...);
}

static_assert(lists_are_complete<Sample,
                                 Ceiling,
                                 Implementation,
                                 numerics::Verification,
                                 Row,
                                 Fit::Parameter,
                                 Fit,
                                 Series,
                                 Attachment,
                                 Finding,
                                 DeviceRecord,
                                 PlannedCase,
                                 core::Cache,
                                 core::Machine,
                                 Header,
                                 Document>(),
              "a struct of the run document has a member without a field here");

}  // namespace fields_detail

}  // namespace jissoku::document
