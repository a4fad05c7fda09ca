// real sockets: another process is a thread here, which meets the same border
#include "pintle/console/endpoint.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <future>
#include <thread>

#include "pintle/console/local_socket.h"
#include "pintle/console/view.h"
#include "pintle/craft/load.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::console {
namespace {

namespace fs = std::filesystem;

class EndpointTest : public ::testing::Test {
 protected:
  EndpointTest()
      : folder_(fs::temp_directory_path() / ("pintle-endpoint-" + std::to_string(getpid()))),
        model_(model()),
        state_(stack::initial_state(model_)) {
    fs::create_directories(folder_);
    path_ = folder_ / "run.sock";
  }
  ~EndpointTest() override { fs::remove_all(folder_); }
  static stack::Model model() {
    const craft::MissionFile m =
        craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
    return build_model(m.vehicle, &m.mission);
  }
  void tick(Endpoint& endpoint) {
    in_ = {};
    in_.now = now_;
    in_.generation = model_.generation;
    in_.has_odometry = true;
    in_.odometry = {now_, {{1, 2, -3}, {}}, {}};
    endpoint.put(out_, in_);
    stack::tick(model_, state_, work_, in_, out_);
    endpoint.take(in_, out_);
    now_ = now_ + model_.period;
  }
  /// Ticks until the answer is there.
  EndpointReply ask(Endpoint& endpoint, const std::string& words,
                    mission::Operator from = mission::Operator::kCli) {
    auto reply = std::async(std::launch::async, [&] { return ask_endpoint(path_, words, from); });
    while (reply.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      tick(endpoint);
    return reply.get();
  }
  /// Has asked, and waits.
  [[nodiscard]] int asking(const std::string& words) const {
    const int socket = connect_to(path_);
    (void)write_all(socket, words + "\n", 60'000);
    return socket;
  }
  static std::string answer_to(int socket) {
    std::string text;
    (void)read_all(socket, text, 60'000);
    close(socket);
    return text;
  }
  /// The same in another process, which can be stopped as a whole.
  class Elsewhere {
   public:
    explicit Elsewhere(EndpointTest& test) : child_(fork()) {
      if (child_ == 0) {
        Endpoint endpoint(test.path_, test.model_.mission);
        for (;; poll(nullptr, 0, 1)) test.tick(endpoint);
      }
      while (!fs::exists(test.path_)) poll(nullptr, 0, 1);
    }
    ~Elsewhere() {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
    void stop() const {
      kill(child_, SIGSTOP);
      int status = 0;
      ASSERT_EQ(waitpid(child_, &status, WUNTRACED), child_);
      ASSERT_TRUE(WIFSTOPPED(status));
    }
    void go_on() const { kill(child_, SIGCONT); }

   private:
    pid_t child_;
  };
  fs::path folder_, path_;
  stack::Model model_;
  stack::State state_;
  stack::Workspace work_;
  stack::Inputs in_;
  stack::Outputs out_;
  Time now_{};
};

TEST_F(EndpointTest, WhatStandsAgainstArmingIsTheSameListAtTheConsoleAndForACommand) {
  Endpoint endpoint(path_, model_.mission);
  in_ = {};
  in_.generation = model_.generation;
  stack::tick(model_, state_, work_, in_, out_);
  endpoint.take(in_, out_);
  ViewBuilder console;
  console.take(model_, in_, out_);
  const std::string list = console.view().obstacle;
  // with the reason of each line
  EXPECT_NE(list.find("no state: "), std::string::npos) << list;
  EXPECT_EQ(list.back() == '.', false);
  EXPECT_NE(ask_endpoint(path_, "status").text.find("(" + list + ")"), std::string::npos);
}

/// Own time may lie a thousand seconds beside the clock that the inputs bring, and that be set back.
TEST_F(EndpointTest, AgesOnTheScreenAreOfTheStacksOwnTime) {
  ViewBuilder console;
  stack::Inputs in;
  in.now = Time::from_seconds(1000);
  in.has_odometry = in.has_flight = true;
  in.odometry.stamp = in.now - Duration::from_seconds(0.25);
  in.flight.stamp = in.now - Duration::from_seconds(0.5);
  out_.now = Time::from_seconds(10);
  console.take(model_, in, out_);
  EXPECT_NEAR(console.view().odometry_age_s.value(), 0.25, 1e-9);
  EXPECT_NEAR(console.view().flight_age_s.value(), 0.5, 1e-9);
  stack::Inputs silent;
  silent.now = Time::from_seconds(3);
  out_.now = Time::from_seconds(11);
  console.take(model_, silent, out_);
  EXPECT_NEAR(console.view().odometry_age_s.value(), 1.25, 1e-9);
}

TEST_F(EndpointTest, AnswersWhatBecameOfACommand) {
  Endpoint endpoint(path_, model_.mission);
  tick(endpoint);
  EXPECT_EQ(ask(endpoint, "resume").kind, "refused");
  const EndpointReply start = ask(endpoint, "free_style");
  EXPECT_EQ(start.kind, "accepted");
  EXPECT_EQ(start.text, "accepted: armed, running, submerge, cli commands\n");
  EXPECT_EQ(ask(endpoint, "pause").kind, "accepted");
  EXPECT_EQ(out_.mission.phase, MissionPhase::kPaused);
  const EndpointReply wrong = ask(endpoint, "pauze");
  EXPECT_EQ(wrong.kind, "wrong");
  EXPECT_NE(wrong.text.find("did you mean \"pause\""), std::string::npos);
}

TEST_F(EndpointTest, TellsHowThingsStandForPeopleAndForPrograms) {
  Endpoint endpoint(path_, model_.mission);
  for (int i = 0; i < 10; ++i) tick(endpoint);
  const EndpointReply status = ask(endpoint, "status");
  EXPECT_EQ(status.kind, "accepted");
  EXPECT_NE(status.text.find("position  x +1.00  y +2.00  height -3.00 m"), std::string::npos)
      << status.text;
  EXPECT_NE(status.text.find("commander nobody"), std::string::npos);
  const EndpointReply fields = ask(endpoint, "fields");
  EXPECT_NE(fields.text.find("\nheight_m -3\n"), std::string::npos) << fields.text;
}

TEST(EndpointStatus, TellsTheAlarmsThatStand) {
  stack::Outputs out;
  out.alarms.push_back({AlarmCode::kBusVoltage, Severity::kCritical, -1, {}, 42.5});
  EndpointStatus status;
  update(status, {}, out);
  EXPECT_NE(text_of(status, {}).find("\nalarm     bus voltage: 42.5 V, critical\n"),
            std::string::npos);
  EXPECT_NE(fields_of(status, {}).find("\nalarm critical bus voltage: 42.5 V\n"),
            std::string::npos);
  out.alarms.clear();
  update(status, {}, out);
  EXPECT_EQ(text_of(status, {}).find("alarm"), std::string::npos);
}

TEST_F(EndpointTest, TheThreadThatTicksAllocatesNothing) {
  Endpoint endpoint(path_, model_.mission);
  tick(endpoint);
  auto reply = std::async(std::launch::async, [&] {
    std::string kinds;
    for (const char* words : {"free_style", "pause", "status", "resume", "nonsense", "cutoff"})
      kinds += ask_endpoint(path_, words).kind[0];
    return kinds;
  });
  const std::uint64_t before = testing::heap_allocations();
  while (reply.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) tick(endpoint);
  EXPECT_EQ(testing::heap_allocations() - before, 0U);
  EXPECT_EQ(reply.get(), "aaaawa");
}

TEST_F(EndpointTest, IsForThisUserAloneAndGoneWithTheStack) {
  {
    const Endpoint endpoint(path_, model_.mission);
    struct stat info {};
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    EXPECT_TRUE(S_ISSOCK(info.st_mode));
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_THROW((void)ask_endpoint(path_, "status"), std::runtime_error);
}

TEST_F(EndpointTest, ReplacesASocketOfNobodyAndNothingElse) {
  const int dead = listen_at(path_);
  close(dead);
  EXPECT_TRUE(fs::exists(path_));
  { const Endpoint endpoint(path_, model_.mission); }
  const int living = listen_at(path_);
  EXPECT_THROW(Endpoint(path_, model_.mission), std::runtime_error);
  EXPECT_TRUE(fs::exists(path_)) << "it is the other one's";
  close(living);
  fs::remove(path_);
  std::ofstream(path_) << "notes";
  EXPECT_THROW(Endpoint(path_, model_.mission), std::runtime_error);
  EXPECT_GT(fs::file_size(path_), 0U);
  EXPECT_THROW(Endpoint("/proc/none.sock", model_.mission), std::runtime_error);
  EXPECT_THROW(Endpoint(folder_ / std::string(120, 'x'), model_.mission), std::runtime_error);
}

TEST_F(EndpointTest, ListensHoweverDeepItsFolderLies) {
  fs::path deep = folder_;
  for (int i = 0; i < 5; ++i) deep /= std::string(60, 'd');
  fs::create_directories(deep);
  path_ = deep / "run.sock";
  {
    Endpoint endpoint(path_, model_.mission);
    tick(endpoint);
    EXPECT_EQ(ask(endpoint, "status").kind, "accepted");
    EXPECT_THROW(Endpoint(path_, model_.mission), std::runtime_error) << "another listens";
  }
  EXPECT_TRUE(fs::is_empty(deep));
  EXPECT_THROW(Endpoint(deep / "none" / "run.sock", model_.mission), std::runtime_error);
}

TEST_F(EndpointTest, WhoLooksForSocketsWhileOneIsMadeDoesNotTakeItAway) {
  setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  const std::jthread looks([](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)listening_endpoints();
  });
  bool all = true;
  for (int i = 0; i < 2000 && all; ++i) {
    const fs::path mine = endpoint_folder() / ("run-" + std::to_string(i) + ".sock");
    const int fd = listen_at(mine);
    all = fs::exists(mine);
    fs::remove(mine);
    close(fd);
  }
  EXPECT_TRUE(all);
}

TEST_F(EndpointTest, ACommandThatNoTickTakesUpIsWithdrawn) {
  Endpoint endpoint(path_, model_.mission);
  const EndpointReply reply = ask_endpoint(path_, "free_style");
  EXPECT_EQ(reply.kind, "failed");
  for (int i = 0; i < 3; ++i) tick(endpoint);
  EXPECT_EQ(out_.arm, stack::ArmState::kDisarmed);
}

TEST_F(EndpointTest, WhoHasHungUpIsObeyedWhereItStopsAndNowhereElse) {
  Endpoint endpoint(path_, model_.mission);
  tick(endpoint);
  ASSERT_EQ(ask(endpoint, "free_style").kind, "accepted");
  ASSERT_EQ(ask(endpoint, "pause").kind, "accepted");
  // the end of the connection is the end of the line; who is asked afterwards is heard afterwards
  const auto hang_up = [&](const std::string& words) {
    const int socket = connect_to(path_);
    EXPECT_TRUE(write_all(socket, words, 60'000));
    close(socket);
    EXPECT_EQ(ask(endpoint, "status").kind, "accepted");
    for (int i = 0; i < 5; ++i) tick(endpoint);
  };
  hang_up("resume");
  EXPECT_EQ(ask(endpoint, "heartbeat").kind, "accepted");
  EXPECT_EQ(out_.mission.phase, MissionPhase::kPaused) << "who asked was told that nobody answers";
  hang_up("abort");
  EXPECT_EQ(ask(endpoint, "heartbeat").kind, "accepted");
  EXPECT_EQ(out_.mission.phase, MissionPhase::kAborting);
}

TEST_F(EndpointTest, AClientThatSaysNothingOrTooMuchHoldsNobodyUp) {
  Endpoint endpoint(path_, model_.mission);
  const int silent = connect_to(path_);
  const int gone = connect_to(path_);
  close(gone);
  const int loud = connect_to(path_);
  (void)write_all(loud, std::string(5000, 'x'), 100);
  EXPECT_EQ(ask(endpoint, "status").kind, "accepted");
  close(silent);
  close(loud);
}

TEST_F(EndpointTest, AHundredSilentClientsDoNotDelayAnAbort) {
  Endpoint endpoint(path_, model_.mission);
  ASSERT_EQ(ask(endpoint, "free_style").kind, "accepted");
  std::vector<int> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connect_to(path_));
  // who is heard has come after them: they are all there
  ASSERT_EQ(ask(endpoint, "status").kind, "accepted");
  const int who = asking("abort");
  const std::uint64_t begun = endpoint.looks();
  std::uint64_t looks = 0;
  // what is under way stops its clock: what it said before the tick that is told is when it heard;
  // the mission's own time must not run out before
  for (; out_.mission.phase != MissionPhase::kAborting && looks < 20; tick(endpoint)) {
    looks = endpoint.looks() - begun;
    poll(nullptr, 0, 1);
  }
  EXPECT_LE(looks, 2U) << "of 50 ms at most: 100 ms";
  auto answer = std::async(std::launch::async, [&] { return answer_to(who); });
  while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) tick(endpoint);
  EXPECT_EQ(answer.get().substr(0, 8), "accepted");
  // none of them had to be left first
  char byte = 0;
  for (const int s : silent) {
    EXPECT_EQ(recv(s, &byte, 1, MSG_DONTWAIT), -1);
    close(s);
  }
}

TEST_F(EndpointTest, ACrowdThatWaitsLeavesRoomForAnAbort) {
  Endpoint endpoint(path_, model_.mission);
  ASSERT_EQ(ask(endpoint, "free_style").kind, "accepted");
  // nothing ticks: none of them has an answer from there
  std::vector<int> crowd;
  for (int i = 0; i < 250; ++i) {
    crowd.push_back(connect_to(path_));
    ASSERT_TRUE(write_all(crowd.back(), "heartbeat\n", 60'000));
  }
  const EndpointReply reply = ask(endpoint, "abort");
  EXPECT_EQ(reply.kind, "accepted") << reply.text;
  int turned_away = 0;
  for (const int s : crowd) {
    std::string text;
    auto answer = std::async(std::launch::async, [&] { return read_all(s, text, 60'000); });
    while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      tick(endpoint);
    EXPECT_TRUE(answer.get() && !text.empty()) << "each is told";
    turned_away += text.find("too many") != std::string::npos ? 1 : 0;
    close(s);
  }
  EXPECT_GT(turned_away, 0);
}

TEST_F(EndpointTest, WhoHasAnAnswerTakesNoPlaceFromAnAbort) {
  const Elsewhere stack(*this);
  ASSERT_EQ(ask_endpoint(path_, "free_style").kind, "accepted");
  std::vector<int> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(connect_to(path_));
  // who asks here takes the place of the first and leaves it; of two more one takes that of the second
  ASSERT_EQ(ask_endpoint(path_, "status").kind, "accepted");
  for (int i = 0; i < 2; ++i) crowd.push_back(connect_to(path_));
  pollfd second{crowd[1], POLLIN, 0};
  ASSERT_EQ(poll(&second, 1, 60'000), 1) << "there is no place left";
  poll(nullptr, 0, 20);  // until it listens again
  // in one moment each is answered, and one more comes
  stack.stop();
  for (const int s : crowd) (void)write_all(s, "status\n", 60'000);
  const int mine = asking("abort");
  stack.go_on();
  EXPECT_EQ(answer_to(mine).substr(0, 8), "accepted");
  for (const int s : crowd) close(s);
}

TEST_F(EndpointTest, WhatWasSaidWhileTheProgramStoodIsDoneOnlyWhereItStops) {
  const Elsewhere stack(*this);
  ASSERT_EQ(ask_endpoint(path_, "free_style").kind, "accepted");
  ASSERT_EQ(ask_endpoint(path_, "pause").kind, "accepted");
  const auto stands = [&stack](auto&& meanwhile) {
    stack.stop();
    meanwhile();
    poll(nullptr, 0, 2100);  // longer than a word may wait
    stack.go_on();
  };
  // what is asked afterwards counts again, also where somebody has asked again whenever it looks
  const auto counts_again = [&] {
    for (int tries = 0; tries < 1000; ++tries) {
      stack.stop();
      const int again = asking("reset_control");
      stack.go_on();
      if (!answer_to(again).starts_with("failed")) return true;
    }
    return false;
  };
  const int was_there = connect_to(path_);
  ASSERT_EQ(ask_endpoint(path_, "status").kind, "accepted");
  int came = -1;
  stands([&] {
    (void)write_all(was_there, "resume\n", 60'000);
    came = asking("resume");
  });
  constexpr std::string_view kRefused = "failed\nnothing was done: the program stood still since";
  EXPECT_EQ(answer_to(was_there).substr(0, kRefused.size()), kRefused);
  EXPECT_EQ(answer_to(came).substr(0, kRefused.size()), kRefused);
  EXPECT_NE(ask_endpoint(path_, "fields").text.find("\nphase paused\n"), std::string::npos);
  EXPECT_TRUE(counts_again());
  stands([&] { came = asking("abort"); });
  EXPECT_EQ(answer_to(came).substr(0, 8), "accepted");
  EXPECT_TRUE(counts_again());
}

TEST_F(EndpointTest, WordsThatAPortPassesOnAreThoseOfAnotherOperator) {
  Endpoint endpoint(path_, model_.mission);
  ASSERT_EQ(ask(endpoint, "free_style").kind, "accepted");
  const auto heard = [this](mission::Operator who) {
    return state_.failsafe.heartbeat_at[static_cast<std::size_t>(who)].has_value();
  };
  EXPECT_EQ(ask(endpoint, "heartbeat", mission::Operator::kYarp).kind, "accepted");
  EXPECT_TRUE(heard(mission::Operator::kYarp));
  EXPECT_FALSE(heard(mission::Operator::kCli)) << "one stands for the other";
  EXPECT_EQ(ask(endpoint, "pause", mission::Operator::kYarp).kind, "accepted");
  const EndpointReply refused = ask(endpoint, "resume", mission::Operator::kYarp);
  EXPECT_EQ(refused.text, "refused: cli commands; take_over takes it from there\n");
  EXPECT_EQ(ask(endpoint, "take_over", mission::Operator::kYarp).kind, "accepted");
  EXPECT_EQ(ask(endpoint, "resume", mission::Operator::kYarp).kind, "accepted");
  EXPECT_EQ(out_.commander, mission::Operator::kYarp);
}

TEST_F(EndpointTest, WhatStopsGoesBeforeWhatStarts) {
  Endpoint endpoint(path_, model_.mission);
  ASSERT_EQ(ask(endpoint, "free_style").kind, "accepted");
  // from a pause it can be resumed, unless the mission has been aborted before
  ASSERT_EQ(ask(endpoint, "pause").kind, "accepted");
  // nothing ticks yet: the first is with the run, the second waits, the third overtakes both
  std::vector<std::future<std::string>> asked;
  for (const char* words : {"reset_control", "resume", "abort"}) {
    const int socket = connect_to(path_);
    ASSERT_TRUE(write_all(socket, std::string(words) + "\n", 60'000));
    asked.push_back(std::async(std::launch::async, [socket] {
      std::string text;
      (void)read_all(socket, text, 60'000);
      close(socket);
      return text;
    }));
  }
  // a question that is answered after them was heard after them
  EXPECT_EQ(ask_endpoint(path_, "status").kind, "accepted");
  while (asked[2].wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) {
    tick(endpoint);
    std::this_thread::yield();
  }
  for (auto& a : asked)
    while (a.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) tick(endpoint);
  EXPECT_EQ(asked[2].get().substr(0, 8), "accepted");
  // the mission had been aborted before the others were answered
  EXPECT_EQ(asked[1].get().substr(0, 7), "refused");
  EXPECT_EQ(asked[0].get().substr(0, 8), "accepted");
}

TEST_F(EndpointTest, ASignalThatEndsTheProgramTakesTheSocketAway) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      const Endpoint endpoint(path_, model_.mission);
      raise(signal);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_FALSE(fs::exists(path_)) << signal;
  }
}

TEST_F(EndpointTest, TheDefaultFolderIsPrivateAndForgetsWhoDied) {
  setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  const fs::path mine = default_endpoint("pool run/1");
  EXPECT_EQ(mine.parent_path(), folder_ / "pintle");
  EXPECT_TRUE(mine.filename().string().starts_with("pool-run-1-"));
  EXPECT_TRUE(listening_endpoints().empty());
  close(listen_at(folder_ / "pintle/dead-1.sock"));
  {
    const Endpoint endpoint(mine, model_.mission);
    EXPECT_EQ(listening_endpoints(), std::vector<fs::path>{mine});
    EXPECT_FALSE(fs::exists(folder_ / "pintle/dead-1.sock"));
  }
  fs::permissions(folder_ / "pintle", fs::perms::all);
  EXPECT_THROW((void)endpoint_folder(), std::runtime_error);
  unsetenv("XDG_RUNTIME_DIR");
}

TEST(TripleBuffer, GivesTheNewestAndNeverHalfOfOne) {
  struct Pair {
    std::array<std::uint64_t, 16> n{};
  };
  TripleBuffer<Pair> buffer;
  std::thread writer([&] {
    Pair p;
    for (std::uint64_t i = 1; i <= 200'000; ++i) {
      p.n.fill(i);
      buffer.write(p);
    }
  });
  std::uint64_t last = 0;
  while (last < 200'000) {
    const Pair p = buffer.read();
    for (const std::uint64_t n : p.n) ASSERT_EQ(n, p.n[0]);
    ASSERT_GE(p.n[0], last);
    last = p.n[0];
  }
  writer.join();
}

}  // namespace
}  // namespace pintle::console
