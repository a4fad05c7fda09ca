#include <gtest/gtest.h>

#include <fstream>

#include "pintle/yarp/name_server.h"

namespace pintle::yarp {
namespace {

TEST(YarpNames, AreKeptUntilTheyAreTakenBack) {
  NameTable table({"127.0.0.1", 10000});
  EXPECT_EQ(table.answer("register /a tcp 1.2.3.4 5"),
            "registration name /a ip 1.2.3.4 port 5 type tcp\r\n*** end of message\r\n");
  EXPECT_EQ(table.answer("query /a"),
            "registration name /a ip 1.2.3.4 port 5 type tcp\r\n*** end of message\r\n");
  // a name that is opened anew keeps the number that it was given
  EXPECT_EQ(table.answer("register /b"),
            "registration name /b ip 127.0.0.1 port 10002 type tcp\r\n*** end of message\r\n");
  EXPECT_EQ(table.answer("register /b ..."), table.answer("query /b"));
  EXPECT_EQ(table.answer("bot query /a"),
            "port (name \"/a\") (ip \"1.2.3.4\") (port_number 5) (carrier tcp)\r\n*** end of "
            "message\r\n");
  EXPECT_EQ(table.answer("set /a offers tcp text"),
            "port /a property offers = tcp text\r\n*** end of message\r\n");
  EXPECT_EQ(table.answer("get /a offers"), table.answer("set /a offers tcp text"));
  EXPECT_EQ(table.answer("check /a offers text"),
            "port /a property offers value text present true\r\n*** end of message\r\n");
  EXPECT_EQ(table.answer("check /a offers tex"),
            "port /a property offers value tex present false\r\n*** end of message\r\n");
  EXPECT_EQ(table.answer("unregister /a"), "*** end of message\r\n");
  EXPECT_EQ(table.answer("query /a"), "*** end of message\r\n");
  EXPECT_EQ(table.answer("unregister /root"), "*** end of message\r\n");
  EXPECT_EQ(table.size(), 2U);
  for (int i = 0; i < 20'000; ++i) (void)table.answer("register /n" + std::to_string(i));
  EXPECT_LE(table.size(), 10'000U);
}

TEST(YarpNames, WhatWouldBeTwoLinesOrTwoWordsIsNoEntry) {
  NameTable table({"127.0.0.1", 10000});
  for (const char* said :
       {"register \"/a b\" tcp 1.2.3.4 5", "register \"/a\\nb\" tcp 1.2.3.4 5",
        "register /a tcp \"1.2.3.4 port 6\" 5", "register / tcp 1.2.3.4 5",
        "set /root text \"a\\nregistration name /b ip 1.2.3.4 port 5 type tcp\""})
    EXPECT_EQ(table.answer(said), "*** end of message\r\n") << said;
  EXPECT_EQ(table.size(), 1U);
}

TEST(YarpNames, ACommandOfTwoLinesIsNotSent) {
  const NameServer names({"127.0.0.1", 0});
  EXPECT_THROW((void)ask(names.address(), "query /x\nunregister /root"), std::runtime_error);
}

/// Writes a file that is gone with it.
class TheContactFile : public ::testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(file_) << text; }
  std::string complaint(const std::string& text) const {
    write(text);
    try {
      (void)read_contact(file_);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "none";
  }
  ~TheContactFile() override { std::filesystem::remove(file_); }
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("pintle_contact_" + std::to_string(steady_ns()) + ".conf");
};

TEST_F(TheContactFile, SaysWhereTheServerIs) {
  EXPECT_FALSE(read_contact(file_));
  for (const char* text :
       {"127.0.0.1 10123 yarp\n", "127.0.0.1 10123", "\n# ours\n127.0.0.1 10123 yarp\n",
        "[name]\nhost 127.0.0.1\nport 10123\nmode yarp\n", "[name]\nport = 10123\nhost = 127.0.0.1",
        "[other]\nhost x\n[name]\nhost 127.0.0.1\nport 10123\n"}) {
    write(text);
    EXPECT_EQ(read_contact(file_), (Address{"127.0.0.1", 10123})) << text;
  }
  write("localhost 10123 yarp");
  EXPECT_EQ(read_contact(file_), (Address{"localhost", 10123}));
  // while somebody writes it
  write("");
  EXPECT_FALSE(read_contact(file_));
}

TEST_F(TheContactFile, IsRefusedWithFileAndLineWhenItSaysNothingSensible) {
  for (const auto& [text, line] :
       std::vector<std::pair<std::string, int>>{{"nonsense", 1},
                                                {"\n127.0.0.1 yarp\n", 2},
                                                {"127.0.0.1 99999 yarp", 1},
                                                {"::1 10000 yarp", 1},
                                                {"[name]\nhost 127.0.0.1\nport many\n", 3},
                                                {"[name]\nhost 127.0.0.1\n", 2},
                                                {"[/root]\n127.0.0.1 10123 yarp\n", 2}}) {
    const std::string said = complaint(text);
    EXPECT_NE(said.find(file_.string() + ":" + std::to_string(line) + ": expected"),
              std::string::npos)
        << text << ": " << said;
  }
}

}  // namespace
}  // namespace pintle::yarp
