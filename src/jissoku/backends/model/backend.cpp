#include "jissoku/backends/model/backend.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "jissoku/backends/model/model_device.hpp"

namespace jissoku::backends::model {
namespace {

/// The models, read when first asked for.
class Offer {
 public:
  explicit Offer(std::string_view devices_json) : text_(devices_json) {}

  device::Listing list() {
    read();
    device::Listing listing;
    listing.reasons = reasons_;
    for (const Model& model : models_) {
      listing.devices.push_back(model.info);
    }
    return listing;
  }

  /// nullptr where there is none of that id.
  const Model* find(const std::string& id) {
    read();
    const auto found =
        std::find_if(models_.begin(), models_.end(), [&](const Model& model) { return model.info.id == id; });
    return found == models_.end() ? nullptr : &*found;
  }

 private:
  void read() {
    std::call_once(once_, [this] {
      models_.push_back(baseline_model());
      auto table = table_models(text_);
      if (!table) {
        reasons_.push_back(table.error().message);
        return;
      }
      std::move(table->begin(), table->end(), std::back_inserter(models_));
    });
  }

  std::string_view text_;
  std::once_flag once_;
  std::vector<Model> models_;
  std::vector<core::Message> reasons_;
};

}  // namespace

device::Backend make_backend(std::string_view devices_json, Inject inject) {
  const auto offer = std::make_shared<Offer>(devices_json);
  const auto time = std::make_shared<HostTime>();
  const auto numerics = std::make_shared<HostNumerics>(std::move(inject));
  device::Backend backend;
  backend.name = "model";
  backend.list = [offer] { return offer->list(); };
  backend.open = [offer, time, numerics](
                     const std::string& id,
                     const device::OpenOptions&) -> core::Result<std::unique_ptr<device::Device>> {
    const Model* model = offer->find(id);
    if (model == nullptr) {
      return core::make_error(core::ExitCode::unavailable, "device.none_found", {{"text", id}});
    }
    return std::unique_ptr<device::Device>(std::make_unique<ModelDevice>(*model, time, numerics));
  };
  return backend;
}

}  // namespace jissoku::backends::model
