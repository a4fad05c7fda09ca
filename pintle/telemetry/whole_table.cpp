#include "pintle/telemetry/whole_table.h"

#include <map>
#include <mutex>

namespace pintle::telemetry {

const Table& whole(const Table& table) {
  if (table.cases.empty()) return table;
  using Single = detail::Container<std::byte>;
  static const Access single{&Single::size, &Single::data, &Single::resize};
  static std::mutex mutex;
  static std::map<const Table*, Table> made;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = made.try_emplace(&table, table);
  Table& out = entry->second;
  if (!is_new) return out;
  out.fields.clear();
  out.cases.clear();
  for (const TableCase& c : table.cases) {
    Field part;
    part.name = c.value;
    part.meaning = c.table->meaning;
    part.kind = Kind::kStruct;
    part.element_size = table.object_size;
    part.table = c.table;
    part.access = &single;
    out.fields.push_back(part);
  }
  return out;
}

}  // namespace pintle::telemetry
