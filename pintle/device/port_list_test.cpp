#include "pintle/device/port_list.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT: mkdtemp is not in <cstdlib>

#include <filesystem>
#include <fstream>

namespace pintle::device {
namespace {

namespace fs = std::filesystem;

TEST(PortList, TellsNameLatencyAndHolderOfRealPortsOnly) {
  std::string pattern = ::testing::TempDir() + "pintle-ports-XXXXXX";
  const fs::path root = ::mkdtemp(pattern.data());
  const auto file = [&](const fs::path& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  };
  for (const char* name : {"ttyUSB0", "ttyUSB1", "ttyS0", "ttyS1", "tty1", "null"})
    file(fs::path("dev") / name, "");
  file("sys/ttyUSB1/device/latency_timer", "16\n");
  file("sys/ttyS0/type", "0\n");
  file("sys/ttyS1/type", "4\n");
  file("proc/77/comm", "pintle\n");
  file("proc/self/comm", "x\n");
  fs::create_directories(root / "proc/77/fd");
  fs::create_symlink(root / "dev/ttyUSB1", root / "proc/77/fd/5");
  fs::create_directories(root / "by-id");
  fs::create_symlink("../dev/ttyUSB1", root / "by-id/usb-FTDI-if00-port0");
  const auto ports = list_ports({root / "by-id", root / "dev", root / "sys", root / "proc"});
  ASSERT_EQ(ports.size(), 3U);
  EXPECT_EQ(ports[0].name, root / "by-id/usb-FTDI-if00-port0");
  EXPECT_EQ(ports[0].device, root / "dev/ttyUSB1");
  EXPECT_EQ(ports[0].latency_ms, 16);
  EXPECT_EQ(ports[0].holder, "77 pintle");
  EXPECT_TRUE(ports[0].may_open);
  EXPECT_EQ(ports[1].name, root / "dev/ttyS1");
  EXPECT_EQ(ports[2].name, root / "dev/ttyUSB0");
  EXPECT_EQ(ports[2].latency_ms, -1) << "it does not say";
  EXPECT_EQ(ports[2].latency_ms, -1);
  EXPECT_EQ(ports[2].holder, "");
  fs::remove_all(root);
  EXPECT_TRUE(list_ports({root / "by-id", root / "dev", root / "sys", root / "proc"}).empty());
}

}  // namespace
}  // namespace pintle::device
