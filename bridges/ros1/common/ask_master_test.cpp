#include "common/ask_master.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

namespace pintle::ros1 {
namespace {

/// Takes one question, lets the one who asks stand for a second, and answers in two pieces.
[[noreturn]] void answer_while_it_stands(int listener, pid_t who_asks) {
  const std::string answer =
      "<?xml version=\"1.0\"?><methodResponse><params><param><value><array><data>"
      "<value><int>1</int></value><value></value><value><int>7</int></value>"
      "</data></array></value></param></params></methodResponse>";
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-length: " +
                           std::to_string(answer.size()) + "\r\n\r\n";
  const int caller = accept(listener, nullptr, nullptr);
  char heard[4096];
  bool good = recv(caller, heard, sizeof heard, 0) > 0;
  kill(who_asks, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  good &= send(caller, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size());
  kill(who_asks, SIGCONT);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  good &= send(caller, answer.data(), answer.size(), 0) == static_cast<ssize_t>(answer.size());
  _exit(good ? 0 : 1);
}

TEST(AskMaster, NobodyIsSilentWhileThisProcessStands) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof where;
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  ASSERT_EQ(bind(listener, address, sizeof where), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, address, &length), 0);
  const pid_t here = getpid();
  const pid_t child = fork();
  if (child == 0) answer_while_it_stands(listener, here);
  ASSERT_GT(child, 0);
  XmlRpc::XmlRpcValue request, payload;
  request[0] = "/test";
  EXPECT_EQ(ask_at("127.0.0.1", ntohs(where.sin_port), "getPid", request, payload, 0.5),
            MasterSays::kYes);
  EXPECT_EQ(static_cast<int>(payload), 7);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(listener);
}

}  // namespace
}  // namespace pintle::ros1
