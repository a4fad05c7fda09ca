#include "pintle/vehicle/port_names.h"

#include <gtest/gtest.h>

#include "pintle/base/port_name.h"

namespace pintle::vehicle {
namespace {

TEST(PortNames, AVehicleOfAnyNameHasAFolder) {
  EXPECT_EQ(folder_of_vehicle("flying_box"), "/flying_box");
  EXPECT_EQ(folder_of_vehicle("my box (2), \"left\""), "/my_box__2____left_");
  EXPECT_EQ(folder_of_vehicle("a/b\nc"), "/a_b_c");
}

TEST(PortNames, JetsThatShareAFolderDoNotShareTheirPorts) {
  EXPECT_EQ(folder_of_jets("/jets/input:i"), "/jets");
  EXPECT_EQ(folder_of_jets("/jets/left:i"), "/jets/left");
  EXPECT_EQ(folder_of_jets("/jets/right:i"), "/jets/right");
  EXPECT_EQ(folder_of_jets("/jets/left"), "/jets/left");
  EXPECT_EQ(folder_of_jets("/input:i"), "/input");
  for (const char* port : {"/jets/input:i", "/left:i", "/left", "/input:i"})
    for (const std::string& own : own_ports_of_jets(folder_of_jets(port)))
      EXPECT_TRUE(is_port_name(own)) << own;
}

}  // namespace
}  // namespace pintle::vehicle
