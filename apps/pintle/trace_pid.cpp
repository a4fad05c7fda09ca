#include "csv.h"
#include "pintle/craft/import.h"
#include "trace.h"

namespace pintle::app {

int trace_pid(const std::string& file, const std::string& input, const std::string& loop,
              const std::string& axis) {
  const auto [pid, behaviour] = craft::load_loop(file, loop, axis);

  const CsvTable table = read_csv(input);
  table.expect({"error", "dt_s", "provided_derivative"}, {"reset"});
  CsvWriter out(stdout);
  for (const char* name : {"output", "p", "i", "d", "ff", "filtered_error", "integral",
                           "filtered_derivative", "calculated_derivative"})
    out.cell(name);
  out.end_row();

  control::PidState state;
  control::PidTerms shown;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.at(row, "reset", 0) != 0) reset(state, behaviour);
    const control::PidTerms t =
        step(pid, state, table.at(row, "error", 0), table.at(row, "dt_s", 0),
             table.at(row, "provided_derivative", 0), behaviour);
    // a refused step changes nothing: the inner values stay what they were
    if (t.refused)
      shown.output = t.output;
    else
      shown = t;
    for (double value : {shown.output, shown.p, shown.i, shown.d, shown.ff, shown.filtered_error,
                         shown.integral, shown.filtered_derivative, shown.calculated_derivative})
      out.cell(value);
    out.end_row();
  }
  return kOk;
}

}  // namespace pintle::app
