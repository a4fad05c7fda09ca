// Any bytes as what clients of the live server say, text and binary in turns: whatever they ask for, every answer in JSON is
// JSON, what reaches the craft is what the protocol allows, and another client is still answered.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/base/geometry.h"
#include "pintle/foxglove/hub.h"

namespace {

using namespace pintle;
using namespace pintle::foxglove;

class Craft : public Deeds {
 public:
  [[nodiscard]] const std::vector<Service>& services() const override { return services_; }
  std::string call(const ServiceCall& c) override {
    if (c.service >= services_.size()) std::abort();
    return c.request.size() % 2 != 0 ? "no" : "";
  }
  [[nodiscard]] std::vector<Parameter> parameters() const override {
    return {{"kp", 1.5}, {"on", true}, {"curve", std::string("a")}};
  }
  std::string set(const std::vector<Parameter>& wanted, std::string& note) override {
    for (const Parameter& p : wanted) note += p.name;
    return wanted.size() % 2 != 0 ? "no" : "";
  }
  std::string publish(const ClientMessage& m) override {
    return m.topic.empty() ? std::abort(), "" : "";
  }
  [[nodiscard]] std::optional<std::string> asset(std::string_view uri) const override {
    return uri == "pintle:here" ? std::optional<std::string>("found") : std::nullopt;
  }

 private:
  std::vector<Service> services_{{"/pintle/pause", "pintle/Command", "{}", "{}"}};
};

bool drain(Hub& hub, ClientId id, bool is_judged = true) {
  bool any = false;
  while (const auto f = hub.next(id)) {
    any = true;
    if (!f->is_text || !is_judged) continue;
    std::string all = f->head;
    if (f->body) all.append(reinterpret_cast<const char*>(f->body->data()), f->body->size());
    if (!nlohmann::json::accept(all)) std::abort();
  }
  return any;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Craft craft;
  Hub hub({"pintle", "1"}, craft);
  const auto pose = hub.add_channel("/pose", table_of<Vec3>());
  hub.connect(1);
  // how a client is greeted depends on no input, and takes as long as the rest: looked at once, and the second client in one of eight
  static bool is_greeting_new = true;
  (void)drain(hub, 1, std::exchange(is_greeting_new, false));
  const bool has_another = size % 8 == 0;
  if (has_another) hub.connect(2);
  // words end with the byte 0xFF, which UTF-8 does not have
  bool is_text = true;
  std::string_view all(reinterpret_cast<const char*>(data), size);
  for (int n = 0; !all.empty() && n < 16; ++n, is_text = !is_text) {
    const std::string_view word = all.substr(0, all.find('\xFF'));
    all.remove_prefix(std::min(all.size(), word.size() + 1));
    if (is_text)
      hub.hear_text(1, word, n % 4 == 2);
    else
      hub.hear_binary(1, std::as_bytes(std::span(word)));
    hub.write(pose, Vec3{1, 2, 3}, Time{n});
    (void)drain(hub, 1);
  }
  if (has_another) {
    (void)drain(hub, 2);
    hub.hear_text(2, R"({"op":"fetchAsset","requestId":1,"uri":"pintle:here"})");
    if (!drain(hub, 2)) std::abort();
    hub.disconnect(2);
  }
  hub.disconnect(1);
  return 0;
}
