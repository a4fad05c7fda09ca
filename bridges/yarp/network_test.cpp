#include "pintle/yarp/network.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pintle/testing/heap_counter.h"
#include "pintle/yarp/dialogues.h"
#include "pintle/yarp/name_server.h"

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

template <class Condition>
void wait_for(const Condition& condition) {
  const auto until = Loop::Clock::now() + 120s;
  while (!condition() && Loop::Clock::now() < until) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(condition());
}

NetworkOptions at(const NameServer& names) {
  NetworkOptions o;
  o.name_server = names.address();
  return o;
}

TEST(YarpNetwork, SamplesComeInOrderAndAsTheyWereAndTakeNoMemoryOfWhoTicks) {
  const NameServer names({"127.0.0.1", 0});
  Network from(at(names)), to(at(names));
  VectorInput& input = to.input("/in", {3});
  VectorOutput& output = from.output("/out");
  std::vector<double> heard;
  input.taken = [&] { heard.push_back(input.newest().values[0]); };
  to.start();
  from.start();
  ASSERT_EQ(connect_ports(names.address(), "/out", "/in", Carrier::kTcp), "");

  std::uint64_t of_who_ticks = 0;
  for (int i = 1; i <= 500; ++i) {
    const double values[]{static_cast<double>(i), 0.1, -1e300};
    const std::uint64_t before = pintle::testing::heap_allocations();
    const bool written = output.write(values, {i, 0.001 * i});
    of_who_ticks += pintle::testing::heap_allocations() - before;
    EXPECT_TRUE(written);
  }
  EXPECT_EQ(of_who_ticks, 0U);
  wait_for([&] {
    std::size_t n = 0;
    to.loop().call_and_wait([&] { n = heard.size(); });
    return n == 500;
  });
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], static_cast<double>(i + 1));
}

TEST(YarpNetwork, ANameThatSomebodyHasIsNotTaken) {
  const NameServer names({"127.0.0.1", 0});
  Network first(at(names)), second(at(names));
  (void)first.output("/mine");
  first.start();
  EXPECT_THROW((void)second.output("/mine"), std::runtime_error);
  EXPECT_THROW((void)second.output("no slash"), std::runtime_error);
}

TEST(YarpNetwork, WithoutANameServerPortsAreOpenAllTheSame) {
  NetworkOptions nobody;
  nobody.name_server = {"127.0.0.1", 1};
  Network network(nobody);
  VectorInput& input = network.input("/in", {1});
  network.start();
  EXPECT_FALSE(network.is_named());
  Dialogue writer(input.port().address(), Dialogue::Seconds(60));
  const double value[]{2.5};
  writer.say(hello(Carrier::kFastTcp, "/w") + message(Carrier::kFastTcp, "D", packet_of(value)));
  wait_for([&] { return input.newest().count == 1; });
  EXPECT_EQ(input.newest().values[0], 2.5);
}

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
  EXPECT_EQ(table.answer("unregister /a"), "*** end of message\r\n");
  EXPECT_EQ(table.answer("query /a"), "*** end of message\r\n");
  EXPECT_EQ(table.answer("unregister /root"), "*** end of message\r\n");
  EXPECT_EQ(table.size(), 2U);
  for (int i = 0; i < 20'000; ++i) (void)table.answer("register /n" + std::to_string(i));
  EXPECT_LE(table.size(), 10'000U);
}

TEST(YarpNames, TheContactFileSaysWhereTheServerIs) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("pintle_contact_" + std::to_string(steady_ns()) + ".conf");
  EXPECT_FALSE(read_contact(file));
  std::ofstream(file) << "[/root]\n127.0.0.1 10123 yarp\n";
  EXPECT_EQ(read_contact(file), (Address{"127.0.0.1", 10123}));
  std::ofstream(file) << "nonsense";
  EXPECT_FALSE(read_contact(file));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace pintle::yarp
