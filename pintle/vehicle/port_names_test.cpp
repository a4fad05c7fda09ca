#include "pintle/vehicle/port_names.h"

#include <gtest/gtest.h>

namespace pintle::vehicle {
namespace {

TEST(PortNames, NamesThatAPortCanHaveAreTaken) {
  for (const char* name : {"/jets/input:i", "/a", "//a", "/jets/\xC3\xA4:i", "/a-b_c.d@e#f"})
    EXPECT_FALSE(port_name_fault(name)) << name;
  EXPECT_FALSE(port_name_fault("/" + std::string(999, 'x')));
}

TEST(PortNames, NamesThatNoPortCanHaveAreRefusedWithOneThatCould) {
  struct Case {
    std::string name;
    const char *says, *fix;
  };
  for (const Case& c :
       {Case{"", "got \"\"", "/jets/input:i"}, Case{"/", "got \"/\"", "/jets"},
        Case{"jets/input:i", "begins with /", "write  /jets/input:i"},
        Case{" ", "no blanks", "write  /_"},
        Case{"/jets/my input:i", "no blanks", "write  /jets/my_input:i"},
        Case{"/jets/a\tb", "no blanks", "write  /jets/a_b"},
        Case{"/jets(1)", "brackets", "write  /jets_1_"},
        Case{"/jets\"x", "quotes", "write  /jets_x"},
        Case{"/" + std::string(1000, 'x'), "1000 characters, this one 1001", "shorter"}}) {
    const auto fault = port_name_fault(c.name);
    ASSERT_TRUE(fault) << c.name;
    EXPECT_NE(fault->message.find(c.says), std::string::npos) << fault->message;
    EXPECT_NE(fault->fix.find(c.fix), std::string::npos) << fault->fix;
  }
}

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
      EXPECT_FALSE(port_name_fault(own)) << own;
}

}  // namespace
}  // namespace pintle::vehicle
