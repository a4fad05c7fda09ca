#include "pintle/craft/live.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pintle/config/reader.h"
#include "pintle/craft/file_change.h"
#include "pintle/craft/read_vehicle.h"
#include "pintle/vehicle/duke.h"

namespace pintle::craft {
namespace {

/// One step of a path: "position", "x", "[3]".
std::string_view next_step(std::string_view& path) {
  if (!path.empty() && path.front() == '.') path.remove_prefix(1);
  std::size_t end = path.find_first_of(".[", path.starts_with('[') ? 1 : 0);
  if (path.starts_with('['))
    end = path.find(']') == std::string_view::npos ? path.size() : path.find(']') + 1;
  if (end == std::string_view::npos) end = path.size();
  const std::string_view step = path.substr(0, end);
  path.remove_prefix(end);
  return step;
}

bool set_scalar(const Field& field, void* element, double value, std::string& why) {
  if (!std::isfinite(value)) {
    why = "the value must be finite";
    return false;
  }
  if (value < field.minimum || value > field.maximum ||
      (field.above_minimum && value == field.minimum)) {
    why = std::string(field.name) + " must lie in " + config::shortest(field.minimum) + " to " +
          config::shortest(field.maximum) + ", got " + config::shortest(value);
    return false;
  }
  if (is_integer(field.kind) && value != std::floor(value)) {
    why = std::string(field.name) + " must be a whole number";
    return false;
  }
  const double before = number_of(field, element);
  set_number(field, element, value);
  const bool is_known =
      field.enumeration == nullptr ||
      std::any_of(field.enumeration->values.begin(), field.enumeration->values.end(),
                  [value](const EnumValue& v) { return static_cast<double>(v.value) == value; });
  if (is_known && (!is_integer(field.kind) || number_of(field, element) == value)) return true;
  // a number that its kind cannot hold has been cut
  set_number(field, element, before);
  why = std::string(field.name) + " cannot be " + config::shortest(value);
  return false;
}

config::SaveResult save_changes(const std::filesystem::path& path, VehicleFormat format,
                                const std::vector<std::pair<std::string, double>>& changes) {
  try {
    return config::save_atomically(
        path, with_numbers(config::Document::load(path), format, changes).text());
  } catch (const std::exception& e) {
    return {false, e.what()};
  }
}

void collect(const Table& table, const void* object, const std::string& prefix,
             std::vector<LiveParameter>& all) {
  for (const Field& field : table.of(object).fields) {
    const std::string path = prefix + (prefix.empty() ? "" : ".") + std::string(field.name);
    const std::size_t n = field.size(object);
    for (std::size_t i = 0; i < n; ++i) {
      const std::string here = field.shape == Shape::kSingle || field.shape == Shape::kOptional
                                   ? path
                               : i < field.keys.size() ? path + "." + std::string(field.keys[i])
                                                       : path + "[" + std::to_string(i) + "]";
      const void* element = field.element(object, i);
      if (field.kind == Kind::kStruct && field.shape == Shape::kOptional) continue;
      if (field.kind == Kind::kStruct)
        collect(*field.table, element, here, all);
      else if (field.kind != Kind::kString)
        all.push_back({here, number_of(field, element), &field});
    }
  }
}

Findings findings_of(const VehicleFile& file) {
  Findings all = check_sections(file);
  const Findings more = check(file.vehicle);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// What a change brings that was not said before: "PATH: MESSAGE", one after the other.
std::string new_warnings(const Findings& before, const Findings& after) {
  std::string out;
  for (const Finding& f : after) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const Finding& old) {
      return old.path == f.path && old.message == f.message;
    });
    if (!known && !f.is_error) out += (out.empty() ? "" : "; ") + f.path + ": " + f.message;
  }
  return out;
}

}  // namespace

bool set_by_path(const Table& table, void* object, std::string_view path, double value,
                 std::string& why) {
  const Table* at = &table;
  while (true) {
    const std::string_view step = next_step(path);
    at = &at->of(object);
    const Field* field = at->find(step);
    if (field == nullptr) {
      std::vector<std::string_view> known;
      for (const Field& f : at->fields) known.push_back(f.name);
      const std::string near = config::did_you_mean(step, known);
      why = "there is no \"" + std::string(step) + "\"" +
            (near.empty() ? "" : ", did you mean \"" + near + "\"");
      return false;
    }
    std::size_t index = 0;
    if (field->shape != Shape::kSingle && !path.empty()) {
      std::string_view key = next_step(path);
      if (key.starts_with('[')) {
        key = key.substr(1, key.size() - 2);
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
        if (error != std::errc{} || end != key.data() + key.size()) index = field->capacity;
      } else {
        while (index < field->keys.size() && field->keys[index] != key) ++index;
      }
      if (index >= field->size(object)) {
        why = std::string(field->name) + " has no element \"" + std::string(key) + "\"";
        return false;
      }
    }
    void* element = field->size(object) > index ? field->element(object, index) : nullptr;
    if (path.empty()) {
      if (element == nullptr || field->kind == Kind::kStruct || field->kind == Kind::kString) {
        why = std::string(field->name) + " is not a single number";
        return false;
      }
      return set_scalar(*field, element, value, why);
    }
    if (element == nullptr || field->kind != Kind::kStruct) {
      why = std::string(field->name) + " has nothing inside";
      return false;
    }
    at = field->table;
    object = element;
  }
}

std::vector<LiveParameter> live_parameters(const VehicleFile& file) {
  std::vector<LiveParameter> all;
  collect(table_of<VehicleFile>(), &file, {}, all);
  std::erase_if(all, [](const LiveParameter& p) { return p.path.starts_with("failsafes"); });
  return all;
}

LiveModel::LiveModel(VehicleFile file, const mission::MissionSpec* mission,
                     std::filesystem::path path)
    : LiveModel(Configuration{1, std::move(file),
                              mission != nullptr ? std::optional(*mission) : std::nullopt, false},
                std::move(path)) {}

LiveModel::LiveModel(Configuration first, std::filesystem::path path)
    : path_(std::move(path)), newest_(std::make_shared<const Generation>(std::move(first))) {}

ChangeResult LiveModel::set(std::string_view path, double value, bool save) {
  return set_all({{std::string(path), value}}, save);
}

ChangeResult LiveModel::set_all(const std::vector<std::pair<std::string, double>>& changes,
                                bool save) {
  ChangeResult result;
  Configuration made = newest_->configuration;
  ++made.generation;
  VehicleFile& next = made.vehicle;
  for (const auto& [path, value] : changes)
    if (path.starts_with("failsafes")) {
      result.message =
          path + ": failsafes stand as the vehicle file has them, until it is read anew";
      return result;
    }
  for (const auto& [path, value] : changes)
    if (!set_by_path(table_of<VehicleFile>(), &next, path, value, result.message)) {
      result.message = path + ": " + result.message;
      return result;
    }
  const Findings findings = findings_of(next);
  for (const Finding& f : findings)
    if (f.is_error) {
      result.message = f.path + ": " + f.message + (f.fix.empty() ? "" : "; " + f.fix);
      return result;
    }
  std::string warning = new_warnings(findings_of(file()), findings);
  try {
    newest_ = std::make_shared<const Generation>(std::move(made));
  } catch (const std::exception& e) {
    result.message = e.what();
    return result;
  }
  result.applied = true;
  if (save) result = this->save(changes);
  result.warning = std::move(warning);
  return result;
}

ChangeResult LiveModel::save(const std::vector<std::pair<std::string, double>>& changes) {
  ChangeResult result;
  result.applied = true;
  for (const auto& change : changes) {
    std::erase_if(unsaved_, [&change](const auto& u) { return u.first == change.first; });
    unsaved_.push_back(change);
  }
  const config::SaveResult saved =
      path_.empty() ? config::SaveResult{false, "there is no vehicle file of its own to save it in"}
                    : save_changes(path_, file().format, unsaved_);
  result.saved = saved.saved;
  if (saved.saved)
    unsaved_.clear();
  else
    result.message = "applied, NOT saved: " + saved.reason;
  return result;
}

}  // namespace pintle::craft
