#include "pintle/flight/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "pintle/flight/flight.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::flight {
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

/// Feeds a log through a flight.
class Player {
 public:
  explicit Player(ReplayResult& result) : result_(result) {}

  /// False: ticks are missing, and what comes after them cannot be made again.
  bool take(const telemetry::McapMessage& m) {
    if (m.topic == "/configuration") {
      Configuration configuration;
      decode(m, configuration);
      auto next = std::make_shared<const Generation>(std::move(configuration));
      if (flight_)
        flight_->adopt(std::move(next));
      else
        flight_ = std::make_unique<Flight>(std::move(next));
    } else if (m.topic == "/inputs") {
      if (const std::uint32_t lacks = m.sequence - std::exchange(next_, m.sequence + 1);
          lacks != 0) {
        const std::string at = telemetry::number_text(m.time.seconds());
        result_.note = static_cast<std::int32_t>(lacks) < 0
                           ? fmt::format("the ticks are out of order at {} s", at)
                           : fmt::format("{} ticks are missing before {} s", lacks, at);
        return false;
      }
      decode(m, in_);
      if (!flight_)
        throw std::runtime_error("the log does not say what was flown: no /configuration");
      out_ = &flight_->step(in_);
    } else if (m.topic == "/outputs" && out_ != nullptr) {
      check_layout(m, table_of<Outputs>());
      compare(m.bytes, *std::exchange(out_, nullptr));
    }
    return true;
  }

 private:
  /// A log of another schema must not be decoded with ours.
  void check_layout(const telemetry::McapMessage& m, const Table& table) {
    if (std::find(checked_.begin(), checked_.end(), &table) != checked_.end()) return;
    if (!telemetry::same_layout(m.schema_text, table))
      throw std::runtime_error(std::string(m.topic) +
                               ": the log was written with other fields; replay it with the "
                               "version named in its metadata");
    checked_.push_back(&table);
  }
  template <class T>
  void decode(const telemetry::McapMessage& m, T& message) {
    check_layout(m, table_of<T>());
    if (!telemetry::decode_cdr(m.bytes, message))
      throw std::runtime_error("a message of " + std::string(m.topic) + " is damaged");
  }
  void compare(std::span<const std::byte> recorded, const Outputs& out) {
    now_.clear();
    telemetry::encode_cdr(out, now_);
    ++result_.ticks;
    if (now_.size() == recorded.size() &&
        std::memcmp(now_.data(), recorded.data(), now_.size()) == 0)
      return;
    if (result_.mismatches++ > 0) return;
    Outputs before;
    std::string what = "the message cannot be decoded";
    if (telemetry::decode_cdr(recorded, before))
      what = first_difference(table_of<Outputs>(), &before, &out);
    result_.first_mismatch = "tick " + std::to_string(out.tick) + " at " +
                             telemetry::number_text(out.now.seconds()) + " s: " + what;
  }

  ReplayResult& result_;
  std::unique_ptr<Flight> flight_;
  Inputs in_;
  const Outputs* out_ = nullptr;  ///< Still to be compared.
  std::uint32_t next_ = 0;        ///< Number of the inputs to come.
  std::vector<std::byte> now_;
  std::vector<const Table*> checked_;
};

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
  ReplayResult result;
  const auto metadata = reader.metadata();
  const auto build = metadata.find("pintle/build");
  if (build == metadata.end())
    throw std::runtime_error("this file is no log of a Pintle flight: its metadata are missing");
  result.other_build = build->second != build_description();

  Player player(result);
  const telemetry::McapSummary summary =
      reader.for_each([&](const telemetry::McapMessage& m) { return player.take(m); });
  const auto lacks = metadata.find("verdict/ticks_missing");
  if (result.note.empty() && lacks != metadata.end())
    result.note = lacks->second + " ticks are missing at its end";
  result.complete = result.note.empty() && summary.complete && summary.damaged_chunks == 0;
  if (result.note.empty()) result.note = summary.note;
  return result;
}

}  // namespace pintle::flight
