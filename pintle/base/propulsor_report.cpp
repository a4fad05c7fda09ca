#include "pintle/base/propulsor_report.h"

#include <array>

namespace pintle {

std::string fault_text(std::uint8_t bits) {
  constexpr std::array<const char*, 8> kBits{"undervolt",    "overvolt", "overcurrent",
                                             "overtemp",     "stall",    "stall warning",
                                             "driver fault", "bit 7"};
  std::string out;
  if (bits <= kFaultOvervolt) return out;
  for (unsigned k = 0; k < 8; ++k)
    if ((bits >> k & 1U) != 0) out += (out.empty() ? "" : ", ") + std::string(kBits[k]);
  return out;
}

template <>
const EnumTable& enum_table<PropulsorContact>() {
  static constexpr std::array values{
      enum_value(PropulsorContact::kUnknown, "unknown", "Not asked for long enough to say."),
      enum_value(PropulsorContact::kGood, "good", "It answers."),
      enum_value(PropulsorContact::kSilent, "silent", "It was asked and does not answer."),
      enum_value(PropulsorContact::kNoPort, "no_port", "Its line is not there.")};
  static constexpr EnumTable table{"PropulsorContact", values};
  return table;
}

template <>
const Table& table_of<PropulsorReport>() {
  using R = PropulsorReport;
  static const Table table =
      TableBuilder<R>("PropulsorReport", "What a propulsor says of itself.")
          .field("propulsor", &R::propulsor, "", "Index in file order; on a bus, its channel.")
          .field("stamp", &R::stamp, "ns", "When it was heard.")
          .field("contact", &R::contact, "", "How it stands with its bus.")
          .field("valid", &R::valid, "",
                 "Bits: 1 rpm, 2 voltage, 4 current, 8 temperature, 16 fault.")
          .field("fault", &R::fault, "", "Fault bits.")
          .field("effort", &R::effort, "", "Last sent, -1 to 1.")
          .field("rpm", &R::rpm, "", "Revolutions per minute.")
          .field("bus_V", &R::bus_V, "V", "Voltage where it is connected.")
          .field("bus_A", &R::bus_A, "A", "Current that it draws.")
          .field("temperature_C", &R::temperature_C, "C", "Of its motor.")
          .field("latency_s", &R::latency_s, "s", "Mean from sending to the whole answer.")
          .field("sent", &R::sent, "", "Commands and polls so far.")
          .field("received", &R::received, "", "Good answers so far.")
          .field("unanswered", &R::unanswered, "", "Questions given up so far.")
          .build();
  return table;
}

}  // namespace pintle
