#include "pintle/foxglove/door.h"

#include <gtest/gtest.h>

namespace pintle::foxglove {
namespace {

unsigned status(const DoorRules& rules, const Visitor& v) { return judge(rules, v).status; }

TEST(Door, WithoutATokenOnlyAddressesAndLocalhostAreAnswered) {
  for (const char* host : {"localhost:8765", "127.0.0.1:8765", "127.0.0.1", "[::1]:8765"})
    EXPECT_EQ(status({}, {host, "", "", "/"}), 0U) << host;
  // a name that somebody else made to point here
  for (const char* host :
       {"evil.example:8765", "localhost.evil.example", "", "127.0.0.1.evil.example", "1e100.net"})
    EXPECT_EQ(status({}, {host, "", "", "/"}), 403U) << host;
}

TEST(Door, APageOfElsewhereIsRefusedUnlessItWasNamed) {
  const DoorRules rules{"", {"https://app.foxglove.dev"}};
  EXPECT_EQ(status(rules, {"127.0.0.1:8765", "http://127.0.0.1:8765", "", "/"}), 0U);
  EXPECT_EQ(status(rules, {"127.0.0.1:8765", "https://app.foxglove.dev", "", "/"}), 0U);
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:9999",
                             "https://app.foxglove.dev.evil.example", "https://127.0.0.1:8765"})
    EXPECT_EQ(status(rules, {"127.0.0.1:8765", origin, "", "/"}), 403U) << origin;
  EXPECT_NE(judge({}, {"127.0.0.1:1", "https://x.example", "", "/"})
                .why.find("--live-origin https://x.example"),
            std::string::npos);
}

TEST(Door, ATokenIsAskedForInTheHeaderOrTheQuery) {
  const DoorRules rules{"secret-of-mine", {}};
  EXPECT_EQ(status(rules, {"robot:8765", "", "Bearer secret-of-mine", "/"}), 0U);
  EXPECT_EQ(status(rules, {"robot:8765", "", "", "/?token=secret-of-mine"}), 0U);
  EXPECT_EQ(status(rules, {"robot:8765", "", "", "/?a=b&token=secret-of-mine&c"}), 0U);
  for (const char* target : {"/", "/?token=", "/?token=secret-of-min", "/?token=secret-of-minee",
                             "/?xtoken=secret-of-mine", "/token=secret-of-mine"})
    EXPECT_EQ(status(rules, {"127.0.0.1", "", "", target}), 401U) << target;
  EXPECT_EQ(status(rules, {"robot", "", "Basic secret-of-mine", "/"}), 401U);
  EXPECT_EQ(status(rules, {"robot", "http://evil", "Bearer secret-of-mine", "/"}), 403U);
}

TEST(Door, WhatAStrangerSentIsHarmlessInATerminal) {
  EXPECT_EQ(harmless("a\x1b[31mb\n\xff"), "a?[31mb??");
  EXPECT_EQ(harmless(std::string(500, 'x')).size(), 80U);
}

TEST(Door, LoopbackIsThisMachineAlone) {
  EXPECT_TRUE(is_loopback("127.0.0.1") && is_loopback("::1") && is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("0.0.0.0") || is_loopback("192.168.1.2") || is_loopback("::"));
}

}  // namespace
}  // namespace pintle::foxglove
