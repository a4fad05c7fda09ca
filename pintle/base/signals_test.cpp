#include "pintle/base/signals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <type_traits>

namespace pintle {
namespace {

template <class... T>
constexpr bool kPlain = ((std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>)&&...);
static_assert(kPlain<VehicleState, Setpoint, WrenchDemand, Effectiveness, Allocation,
                     PropulsorHealth, Event, EventList, MissionStatus>);

std::vector<const Table*> tables() {
  return {&table_of<Vec3>(),         &table_of<Vec6>(),         &table_of<Quat>(),
          &table_of<Pose>(),         &table_of<Twist>(),        &table_of<Wrench>(),
          &table_of<Setpoint>(),     &table_of<VehicleState>(), &table_of<WrenchDemand>(),
          &table_of<Allocation>(),   &table_of<Event>(),        &table_of<PropulsorHealth>(),
          &table_of<MissionStatus>()};
}

bool is_sentence(std::string_view text) {
  return text.size() > 1 && std::isupper(static_cast<unsigned char>(text.front())) != 0 &&
         text.back() == '.' && text.find('\n') == std::string_view::npos;
}

/// The unit that the end of a name stands for, "" when it stands for none. Longer ends first.
std::string_view unit_in(std::string_view name) {
  struct Ending {
    std::string_view ending, unit;
  };
  constexpr std::array kEndings{
      Ending{"_rad_s", "rad/s"}, Ending{"_m_s", "m/s"}, Ending{"_ns", "ns"},
      Ending{"_Nm", "N m"},      Ending{"_kg", "kg"},   Ending{"_Hz", "Hz"},
      Ending{"_rad", "rad"},     Ending{"_deg", "deg"}, Ending{"_s", "s"},
      Ending{"_m", "m"},         Ending{"_N", "N"}};
  for (const Ending& e : kEndings)
    if (name.ends_with(e.ending)) return e.unit;
  return "";
}

TEST(Tables, EveryFieldHasASentenceAndANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Table* t : tables()) {
    EXPECT_TRUE(names.insert(t->name).second) << t->name;
    EXPECT_TRUE(is_sentence(t->meaning)) << t->name << ": " << t->meaning;
    EXPECT_FALSE(t->fields.empty()) << t->name;
    std::set<std::string_view> fields;
    for (const Field& f : t->fields) {
      EXPECT_TRUE(is_sentence(f.meaning)) << t->name << "." << f.name << ": " << f.meaning;
      EXPECT_TRUE(fields.insert(f.name).second) << t->name << "." << f.name;
      EXPECT_EQ(t->find(f.name), &f);
    }
  }
}

TEST(Tables, AUnitInANameIsTheUnitOfTheField) {
  for (const Table* t : tables())
    for (const Field& f : t->fields) {
      if (!unit_in(f.name).empty()) {
        EXPECT_EQ(f.unit, unit_in(f.name)) << t->name << "." << f.name;
      }
      // a time is a number that nobody guesses the unit of: the name says it
      if (f.unit == "s" || f.unit == "ns") {
        EXPECT_EQ(unit_in(f.name), f.unit) << t->name << "." << f.name;
      }
    }
}

TEST(Tables, FieldsLieInsideTheirObjectOneAfterTheOther) {
  for (const Table* t : tables()) {
    std::size_t end = 0;
    for (const Field& f : t->fields) {
      EXPECT_GE(f.offset, end) << t->name << "." << f.name;
      end = f.offset + f.element_size * f.capacity;
      EXPECT_LE(end, t->object_size) << t->name << "." << f.name;
    }
  }
}

TEST(Tables, EveryNumberDefaultsToWhatItsRangeAllows) {
  for (const Table* t : tables())
    for (const Field& f : t->fields) {
      if (f.kind == Kind::kStruct || f.kind == Kind::kString) continue;
      for (std::size_t i = 0; i < f.size(t->defaults); ++i) {
        const double value = number_of(f, f.element(t->defaults, i));
        EXPECT_TRUE(value >= f.minimum && value <= f.maximum) << t->name << "." << f.name;
      }
    }
}

TEST(Tables, ANameLeadsToItsMember) {
  const auto number = [](const Table& t, std::string_view name, const void* object,
                         std::size_t i = 0) {
    const Field* f = t.find(name);
    return f == nullptr ? -1e9 : number_of(*f, f->element(object, i));
  };
  VehicleState state;
  state.stamp = Time{123};
  state.variance[11] = 0.25;
  state.validity = Validity::kValid;
  state.X_WB.q.z = 0.5;
  const Table& t = table_of<VehicleState>();
  EXPECT_EQ(number(t, "stamp_ns", &state), 123);
  EXPECT_EQ(number(t, "variance", &state, 11), 0.25);
  EXPECT_EQ(number(t, "validity", &state), 2);
  EXPECT_EQ(
      number(table_of<Quat>(), "z", table_of<Pose>().find("q")->in(t.find("X_WB")->in(&state))),
      0.5);
  Allocation a;
  a.effort.resize(kMaxChannels, 2);
  a.at_upper = ~ChannelMask{0};
  a.grade = AllocationGrade::kBounded;
  EXPECT_EQ(table_of<Allocation>().find("effort")->size(&a), kMaxChannels);
  EXPECT_EQ(number(table_of<Allocation>(), "effort", &a, kMaxChannels - 1), 2);
  EXPECT_EQ(number(table_of<Allocation>(), "at_lower", &a), 0);
  EXPECT_EQ(number(table_of<Allocation>(), "at_upper", &a), 0x1p64);
  EXPECT_EQ(number(table_of<Allocation>(), "grade", &a), 1);
}

/// Values count up from 0 to the last one and have names and sentences of their own.
template <class E>
void expect_complete(E last) {
  const EnumTable& t = enum_table<E>();
  const auto n = static_cast<std::size_t>(last) + 1;
  ASSERT_EQ(t.values.size(), n) << t.name;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < n; ++i) {
    const EnumValue& v = t.values[i];
    EXPECT_EQ(v.value, static_cast<std::int64_t>(i)) << t.name;
    EXPECT_TRUE(names.insert(v.name).second) << t.name << " " << v.name;
    EXPECT_TRUE(is_sentence(v.meaning)) << t.name << " " << v.name << ": " << v.meaning;
    EXPECT_TRUE(std::all_of(v.name.begin(), v.name.end(),
                            [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); }))
        << t.name << " " << v.name;
    EXPECT_EQ(to_string(static_cast<E>(i)), v.name);
    EXPECT_EQ(t.value_of(v.name), v.value);
  }
  EXPECT_EQ(names.count("unknown"), 0U) << t.name;
  EXPECT_EQ(t.name_of(static_cast<std::int64_t>(n)), "unknown") << t.name;
  EXPECT_EQ(t.name_of(-1), "unknown") << t.name;
}

TEST(Enumerations, EveryValueHasANameThatLeadsBackToIt) {
  expect_complete(Validity::kValid);
  expect_complete(AxisMode::kWrench);
  expect_complete(AllocationGrade::kRejected);
  expect_complete(Health::kOut);
  expect_complete(EventCode::kPayloadLost);
  expect_complete(AxisLossCause::kNoAuthority);
  expect_complete(Severity::kCritical);
  expect_complete(AlarmCode::kMissionLimit);
  expect_complete(MissionPhase::kAborted);
}

TEST(Enumerations, NamesAreTheOnesOfTheCode) {
  EXPECT_EQ(to_string(Validity::kStale), "stale");
  EXPECT_EQ(to_string(AxisMode::kWrench), "wrench");
  EXPECT_EQ(to_string(AllocationGrade::kIterationCapped), "iteration_capped");
  EXPECT_EQ(to_string(Health::kReversed), "reversed");
  EXPECT_EQ(to_string(EventCode::kLatchedSafe), "latched_safe");
  EXPECT_EQ(to_string(EventCode::kPropulsorFailed), "propulsor_failed");
  EXPECT_EQ(to_string(MissionPhase::kAborted), "aborted");
}

TEST(Enumerations, AValueThatAFilterBrokeIsUnknown) {
  EXPECT_EQ(to_string(static_cast<EventCode>(255)), "unknown");
}

TEST(Severity, OfAnEventIsThatOfTheTable) {
  const auto of = [](EventCode code, double value = 0) {
    return severity_of({Time{}, code, 2, value}, {});
  };
  EXPECT_EQ(of(EventCode::kStateEntered), Severity::kInfo);
  EXPECT_EQ(of(EventCode::kInputStale), Severity::kWarning);
  EXPECT_EQ(of(EventCode::kPropulsorFailed), Severity::kError);
  EXPECT_EQ(of(EventCode::kLatchedSafe), Severity::kCritical);
  // the value decides
  EXPECT_EQ(of(EventCode::kAxisLost, 1), Severity::kError);
  EXPECT_EQ(of(EventCode::kAxisLost, 2), Severity::kInfo);
  EXPECT_EQ(of(EventCode::kMissionImpaired, 3), Severity::kWarning);
  EXPECT_EQ(of(EventCode::kMissionImpaired, 0), Severity::kInfo);
}

TEST(Severity, OfAnAlarmIsThatWithWhichItStands) {
  AlarmList alarms;
  alarms.push_back({AlarmCode::kTemperature, Severity::kError, 1, {}, 97});
  alarms.push_back({AlarmCode::kBusVoltage, Severity::kCritical, -1, {}, 42});
  const auto of = [&alarms](AlarmCode code, std::int32_t subject) {
    return severity_of({Time{}, EventCode::kAlarmRaised, subject, static_cast<double>(code)},
                       alarms);
  };
  EXPECT_EQ(of(AlarmCode::kBusVoltage, -1), Severity::kCritical);
  EXPECT_EQ(of(AlarmCode::kTemperature, 1), Severity::kError);
  EXPECT_EQ(of(AlarmCode::kTemperature, 0), Severity::kWarning);
  EXPECT_EQ(of(AlarmCode::kFouled, 1), Severity::kWarning) << "another one of the same propulsor";
  EXPECT_EQ(severity_of({Time{}, EventCode::kAlarmCleared, -1, 6}, alarms), Severity::kInfo);
}

TEST(Severity, WhatEndsSomethingBadIsNotBadItself) {
  for (const EnumValue& v : enum_table<EventCode>().values) {
    const auto code = static_cast<EventCode>(v.value);
    if (!is_all_clear(code)) continue;
    EXPECT_EQ(severity_of({Time{}, code, -1, 0}, {}), Severity::kInfo) << v.name;
  }
  EXPECT_TRUE(is_all_clear(EventCode::kAlarmCleared));
  EXPECT_FALSE(is_all_clear(EventCode::kAlarmRaised));
}

TEST(Signals, StartInTheStateThatIsSafe) {
  // nothing known, nothing asked, nothing answered
  EXPECT_EQ(VehicleState{}.validity, Validity::kMissing);
  EXPECT_EQ(Allocation{}.grade, AllocationGrade::kRejected);
  EXPECT_EQ(Allocation{}.margin, 0);
  EXPECT_TRUE(Allocation{}.effort.empty());
  EXPECT_EQ(WrenchDemand{}.F_Bo_B, Wrench{});
  EXPECT_EQ(Effectiveness{}.n, 0U);
  EXPECT_EQ(PropulsorHealth{}.health, Health::kGood);
  EXPECT_EQ(MissionStatus{}.phase, MissionPhase::kIdle);
  EXPECT_EQ(Event{}.code, EventCode::kNone);
  EXPECT_EQ(Event{}.subject, -1);
}

TEST(Axes, AreInTheOneOrder) {
  EXPECT_EQ(kAxisNames.size(), kAxes);
  EXPECT_EQ(kAxisNames[static_cast<std::size_t>(Axis::kZ)], "z");
  EXPECT_EQ(kAxisNames[static_cast<std::size_t>(Axis::kRoll)], "roll");
  EXPECT_EQ(kAxisNames[static_cast<std::size_t>(Axis::kYaw)], "yaw");
  AxisMask all = 0;
  for (std::size_t i = 0; i < kAxes; ++i) all = static_cast<AxisMask>(all | axis_bit(i));
  EXPECT_EQ(all, kAllAxes);
  EXPECT_EQ(axis_bit(5), 32);
  // in files the six numbers of a vector are a map of these names
  EXPECT_EQ(table_of<Vec6>().find("v")->keys.data(), kAxisNames.data());
}

}  // namespace
}  // namespace pintle
