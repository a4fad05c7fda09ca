#include "pintle/vehicle/devices.h"

#include <gtest/gtest.h>

namespace pintle::vehicle {
namespace {

std::vector<Device> four() {
  return {{"front", "m5", "/dev/a", 115200, {{"FLH", 3}, {"FLV", 1}}},
          {"back", "m5", "/dev/b", 115200, {{"BLH", 3}, {"BLV", 0}}}};
}
const std::vector<std::string> kNames{"FLH", "FLV", "BLH", "BLV"};

std::string only(const std::vector<Device>& devices) {
  const Findings found = check(devices, kNames);
  return found.size() == 1 ? found[0].path + ": " + found[0].message
                           : std::to_string(found.size()) + " findings";
}

TEST(Devices, AWiringThatCanBeIsTaken) {
  EXPECT_TRUE(check(four(), kNames).empty());
  EXPECT_TRUE(check(std::vector<Device>{}, kNames).empty());
}

TEST(Devices, WhatCannotBeIsRefusedByName) {
  auto d = four();
  d[0].channels[1].node_id = 3;
  EXPECT_EQ(only(d), "devices[0].channels[1].node_id: node 3 on this line is that of FLH");
  d = four();
  d[1].path = "/dev/a";
  EXPECT_EQ(only(d), "devices[1].path: this port is that of device \"front\"");
  d = four();
  d[1].channels[1].node_id = 128;
  EXPECT_EQ(only(d), "devices[1].channels[1].node_id: expected 0 to 127, got 128");
  d[0].type = d[1].type = "vesc";
  EXPECT_EQ(only(d), "0 findings");
  d = four();
  d[1].channels.pop_back();
  EXPECT_EQ(only(d), "devices: no device drives BLV");
  d = four();
  d[1].channels.push_back({"FLH", 9});
  EXPECT_EQ(only(d), "devices[1].channels[2].propulsor: FLH is driven already by device \"front\"");
  d = four();
  d[1].channels.push_back({"BLX", 9});
  EXPECT_EQ(only(d), "devices[1].channels[2].propulsor: there is no propulsor called \"BLX\"");
  d = four();
  d[1].type = "m6";
  EXPECT_EQ(only(d), "devices[1].type: expected m5, vesc or pwm, got \"m6\"");
  d = four();
  d[1].name = "front";
  EXPECT_EQ(only(d), "devices[1].name: the name \"front\" is taken by another device");
}

}  // namespace
}  // namespace pintle::vehicle
