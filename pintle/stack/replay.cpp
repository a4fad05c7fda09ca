#include "pintle/stack/replay.h"

#include <fmt/core.h>

#include <cstring>
#include <map>
#include <stdexcept>

#include "pintle/stack/live.h"
#include "pintle/stack/recorder.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::stack {
namespace {

std::string text_of(const Field& field, const void* element) {
  if (field.kind == Kind::kEnum)
    return std::string(field.enumeration->name_of(integer_of(field, element)));
  if (field.kind == Kind::kString) return std::string(field.text->get(element));
  if (is_integer(field.kind)) return std::to_string(integer_of(field, element));
  return telemetry::number_text(number_of(field, element));
}

/// Path and values of the first field whose bytes differ; "" when there is none.
std::string first_difference(const Table& table, const void* a, const void* b) {
  for (const Field& f : table.fields) {
    const std::size_t n = f.size(a);
    const std::string name(f.name);
    if (n != f.size(b))
      return name + ": recorded " + std::to_string(n) + " items, now " + std::to_string(f.size(b));
    for (std::size_t i = 0; i < n; ++i) {
      // of what differs only: everything of every tick comes by here
      const auto path = [&] {
        return f.shape == Shape::kSingle ? name : fmt::format("{}[{}]", name, i);
      };
      const void* x = f.element(a, i);
      const void* y = f.element(b, i);
      if (f.kind == Kind::kStruct) {
        const std::string inner = first_difference(*f.table, x, y);
        if (!inner.empty()) return path() + "." + inner;
      } else if (f.kind == Kind::kString ? f.text->get(x) != f.text->get(y)
                                         : std::memcmp(x, y, f.element_size) != 0) {
        return path() + ": recorded " + text_of(f, x) + ", now " + text_of(f, y);
      }
    }
  }
  return {};
}

/// Feeds a log through the tick.
class Player {
 public:
  Player(const MissionFile& mission, ReplayResult& result)
      : live_(mission.vehicle, &mission.mission, {}),
        state_(initial_state(*live_.current())),
        result_(result) {}

  void take(const telemetry::McapMessage& m) {
    if (m.topic == "/parameters") {
      ParameterChange change;
      if (!telemetry::decode_cdr(m.bytes, change))
        throw std::runtime_error("a message of /parameters is damaged");
      (void)live_.set(change.path, change.value, false);
    } else if (m.topic == "/inputs") {
      if (!telemetry::decode_cdr(m.bytes, in_))
        throw std::runtime_error("a message of /inputs is damaged");
      tick(*live_.current(), state_, in_, out_);
      pending_ = true;
    } else if (m.topic == "/outputs" && pending_) {
      pending_ = false;
      compare(m.bytes);
    }
  }

 private:
  void compare(std::span<const std::byte> recorded) {
    now_.clear();
    telemetry::encode_cdr(out_, now_);
    ++result_.ticks;
    if (now_.size() == recorded.size() &&
        std::memcmp(now_.data(), recorded.data(), now_.size()) == 0)
      return;
    if (result_.mismatches++ > 0) return;
    Outputs before;
    std::string what = "the message cannot be decoded";
    if (telemetry::decode_cdr(recorded, before))
      what = first_difference(table_of<Outputs>(), &before, &out_);
    result_.first_mismatch = "tick " + std::to_string(out_.tick) + " at " +
                             telemetry::number_text(out_.now.seconds()) + " s: " + what;
  }

  LiveModel live_;
  State state_;
  ReplayResult& result_;
  Inputs in_;
  Outputs out_;
  std::vector<std::byte> now_;
  bool pending_ = false;
};

/// A log of another schema must not be decoded with ours.
void check_schema(const telemetry::McapMessage& m, const Table& table) {
  if (!telemetry::same_layout(m.schema_text, table))
    throw std::runtime_error(std::string(m.topic) +
                             ": the log was written with other fields; replay it with the version "
                             "named in its metadata");
}

}  // namespace

MissionFile mission_of(telemetry::McapReader& reader) {
  const std::map<std::string, std::string> metadata = reader.metadata();
  const auto name = metadata.find("pintle/mission_file");
  if (name == metadata.end())
    throw std::runtime_error("this file is no log of a Pintle run: its metadata are missing");
  const FileSource open = [&reader](const std::filesystem::path& path) {
    const auto attached = reader.attachment(path.generic_string());
    if (!attached) throw std::runtime_error("the log lacks the file " + path.generic_string());
    return config::Document::parse(attached->content, path.generic_string());
  };
  return load_mission(name->second, open);
}

ReplayResult replay(const std::filesystem::path& log) {
  telemetry::McapReader reader(log);
  const MissionFile mission = mission_of(reader);
  ReplayResult result;
  const auto metadata = reader.metadata();
  const auto build = metadata.find("pintle/build");
  result.other_build = build == metadata.end() || build->second != build_description();

  auto player = std::make_unique<Player>(mission, result);
  bool inputs_checked = false, outputs_checked = false;
  const telemetry::McapSummary summary = reader.for_each([&](const telemetry::McapMessage& m) {
    if (m.topic == "/inputs" && !inputs_checked) {
      check_schema(m, table_of<Inputs>());
      inputs_checked = true;
    }
    if (m.topic == "/outputs" && !outputs_checked) {
      check_schema(m, table_of<Outputs>());
      outputs_checked = true;
    }
    player->take(m);
    return true;
  });
  result.complete = summary.complete && summary.damaged_chunks == 0;
  result.note = summary.note;
  return result;
}

}  // namespace pintle::stack
