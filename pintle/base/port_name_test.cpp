#include "pintle/base/port_name.h"

#include <gtest/gtest.h>

namespace pintle {
namespace {

TEST(PortName, NamesThatAPortCanHaveAreTaken) {
  for (const char* name : {"/jets/input:i", "/a", "//a", "/jets/\xC3\xA4:i", "/a-b_c.d@e#f"})
    EXPECT_TRUE(is_port_name(name)) << name;
  EXPECT_TRUE(is_port_name("/" + std::string(999, 'x')));
  EXPECT_FALSE(port_name_fault("/jets/input:i"));
}

TEST(PortName, NamesThatNoPortCanHaveAreRefusedWithOneThatCould) {
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
        Case{"/a\nunregister /b", "no blanks", "write  /a_unregister_/b"},
        Case{"/a\x1b[31m", "got \"/a?[31m\"", "write  /a__31m"},
        Case{"/a\\b", "no blanks", "write  /a_b"}, Case{"/a{b", "brackets", "write  /a_b"},
        Case{"/" + std::string(1000, 'x'), "1000 characters, this one 1001", "shorter"}}) {
    const auto fault = port_name_fault(c.name);
    ASSERT_TRUE(fault) << c.name;
    EXPECT_FALSE(is_port_name(c.name)) << c.name;
    EXPECT_NE(fault->message.find(c.says), std::string::npos) << fault->message;
    EXPECT_NE(fault->fix.find(c.fix), std::string::npos) << fault->fix;
  }
}

}  // namespace
}  // namespace pintle
