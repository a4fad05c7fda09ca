// a real pseudo-terminal: whatever ends the program, its modes and its screen come back
#include "pintle/console/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>  // NOLINT: posix_openpt and its kin are not in <cstdlib>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "pintle/console/console.h"

namespace pintle::console {
namespace {

class Pty : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TERM", "xterm", 1);
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(master_, 0);
    ASSERT_EQ(grantpt(master_) | unlockpt(master_), 0);
    slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    ASSERT_GE(slave_, 0);
    ASSERT_EQ(tcgetattr(slave_, &before_), 0);
  }
  void TearDown() override {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    close(master_);
    close(slave_);
  }
  [[nodiscard]] bool has_said(const std::string& text) const {
    return said_.find(text) != std::string::npos;
  }
  /// Everything written so far, waiting until one of these is in it or a minute is over.
  bool wait_for_any(const std::vector<std::string>& texts) {
    const auto said = [&] {
      return std::any_of(texts.begin(), texts.end(), [this](const auto& t) { return has_said(t); });
    };
    for (int i = 0; i < 1200 && !said(); ++i) {
      pollfd poller{master_, POLLIN, 0};
      if (poll(&poller, 1, 50) <= 0) continue;
      char bytes[4096];
      const ssize_t n = read(master_, bytes, sizeof bytes);
      if (n > 0) said_.append(bytes, static_cast<std::size_t>(n));
    }
    return said();
  }
  bool wait_for(const std::string& text) { return wait_for_any({text}); }
  /// Runs `what` in another process, which then stays until it is signalled or ends by itself.
  pid_t start(const std::function<void(int)>& what) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        what(slave_);
      } catch (...) {
        _exit(7);
      }
      _exit(0);
    }
    children_.push_back(child);
    return child;
  }
  /// How the process ended, and that the terminal is as it was.
  int end_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    std::erase(children_, child);
    EXPECT_TRUE(wait_for("\033[?1049l"));
    EXPECT_NE(said_.find("\033[?25h"), std::string::npos);
    termios after{};
    EXPECT_EQ(tcgetattr(slave_, &after), 0);
    EXPECT_EQ(after.c_lflag, before_.c_lflag);
    EXPECT_EQ(after.c_iflag, before_.c_iflag);
    EXPECT_EQ(std::memcmp(after.c_cc, before_.c_cc, sizeof after.c_cc), 0);
    return status;
  }
  int master_ = -1, slave_ = -1;
  termios before_{};
  std::string said_;
  std::vector<pid_t> children_;
};

void show(Terminal& t) { t.draw({{"ready", ScreenLine::Style::kPlain}}); }
[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

TEST_F(Pty, ADumbTerminalIsRefusedUntouched) {
  setenv("TERM", "dumb", 1);
  EXPECT_THROW(Terminal(slave_, slave_), std::runtime_error);
  termios now{};
  ASSERT_EQ(tcgetattr(slave_, &now), 0);
  EXPECT_EQ(now.c_lflag, before_.c_lflag);
  pollfd poller{master_, POLLIN, 0};
  EXPECT_EQ(poll(&poller, 1, 0), 0) << "an escape was written";
}

TEST_F(Pty, LeavingTheScopeOrThrowingGivesItBack) {
  EXPECT_EQ(end_of(start([](int fd) {
              Terminal t(fd, fd);
              show(t);
            })),
            0);
  const int status = end_of(start([](int fd) {
    Terminal t(fd, fd);
    throw std::runtime_error("out");
  }));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(Pty, ASecondSignalEndsAtOnceAndGivesItBack) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    said_.clear();
    const pid_t child = start([](int fd) {
      Terminal t(fd, fd);
      show(t);
      while (!Terminal::end_requested()) (void)t.read(5);
      t.draw({{"asked", ScreenLine::Style::kPlain}});
      wait_for_ever();
    });
    ASSERT_TRUE(wait_for("ready"));
    kill(child, signal);
    ASSERT_TRUE(wait_for("asked"));
    kill(child, signal);
    const int status = end_of(child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_F(Pty, ACrashGivesItBack) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) {
    said_.clear();
    const pid_t child = start([signal](int fd) {
      Terminal t(fd, fd);
      show(t);
      raise(signal);
    });
    const int status = end_of(child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}
#endif

TEST_F(Pty, KeysComeOneByOneAndAreNotEchoed) {
  Terminal t(slave_, slave_);
  ASSERT_EQ(write(master_, "g\003", 2), 2);
  std::string keys;
  for (int i = 0; i < 1200 && keys.size() < 2; ++i) keys += t.read(50);
  EXPECT_EQ(keys, "g\003");
  show(t);
  ASSERT_TRUE(wait_for("ready"));
  EXPECT_EQ(said_.find('g'), std::string::npos);
}

TEST_F(Pty, DrawsOnlyWhatChangesAndAllAfterAResize) {
  Terminal t(slave_, slave_);
  t.draw({{"first", ScreenLine::Style::kPlain}, {"second", ScreenLine::Style::kPlain}});
  ASSERT_TRUE(wait_for("second"));
  said_.clear();
  t.draw({{"first", ScreenLine::Style::kPlain}, {"third", ScreenLine::Style::kPlain}});
  ASSERT_TRUE(wait_for("third"));
  EXPECT_EQ(said_.find("first"), std::string::npos);
  const winsize small{10, 40, 0, 0};
  ASSERT_EQ(ioctl(master_, TIOCSWINSZ, &small), 0);
  EXPECT_EQ(t.size().width, 40U);
  said_.clear();
  t.draw({{"first", ScreenLine::Style::kPlain}, {"third", ScreenLine::Style::kPlain}});
  ASSERT_TRUE(wait_for("third"));
  EXPECT_NE(said_.find("first"), std::string::npos);
}

TEST_F(Pty, ExitGivesItBack) {
  const int status = end_of(start([](int fd) {
    static Terminal t(fd, fd);
    show(t);
    std::exit(3);
  }));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST_F(Pty, ALineThatTakesNothingHoldsNothingUpAndNobodyElseIsMadeNonBlocking) {
  const int flags = fcntl(slave_, F_GETFL);
  {
    Terminal t(slave_, slave_);
    EXPECT_EQ(fcntl(slave_, F_GETFL), flags);
    // many times what a terminal keeps, and nobody reads it
    for (char c = 'a'; c <= 'z'; ++c)
      t.draw({{std::string(4000, c), ScreenLine::Style::kPlain},
              {std::string(4000, c), ScreenLine::Style::kPlain}});
    EXPECT_TRUE(t.alive());
  }
  termios after{};
  ASSERT_EQ(tcgetattr(slave_, &after), 0);
  EXPECT_EQ(after.c_lflag, before_.c_lflag);
}

TEST_F(Pty, KeysThatWereNotReadDoNotReachTheShell) {
  {
    Terminal t(slave_, slave_);
    ASSERT_EQ(write(master_, "q\n", 2), 2);
  }
  int waiting = -1;
  ASSERT_EQ(ioctl(slave_, FIONREAD, &waiting), 0);
  EXPECT_EQ(waiting, 0);
}

TEST_F(Pty, IsTakenOnceAndOnlyWhereThereIsOne) {
  Terminal t(slave_, slave_);
  EXPECT_THROW(Terminal(slave_, slave_), std::runtime_error);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_THROW(Terminal(ends[0], ends[1]), std::runtime_error);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Pty, AWindowThatIsGoneIsSeen) {
  Terminal t(slave_, slave_);
  close(master_);
  for (int i = 0; i < 100 && t.alive(); ++i) (void)t.read(20);
  EXPECT_FALSE(t.alive());
  master_ = posix_openpt(O_RDWR | O_NOCTTY);  // for TearDown
}

/// Commands that a console has sent, ticking on until there is one or for a minute.
std::vector<stack::CommandCode> sent_by(Console& console, const std::function<void()>& tick) {
  FixedVector<stack::OperatorCommand, 8> some;
  for (int i = 0; i < 6000 && some.empty(); ++i, poll(nullptr, 0, 10)) {
    tick();
    console.commands(some);
  }
  std::vector<stack::CommandCode> codes;
  for (const stack::OperatorCommand& c : some) codes.push_back(c.code);
  return codes;
}

TEST_F(Pty, AWindowThatIsLostInTakeOffBringsTheCraftDownBeforeTheConsoleLeaves) {
  ConsoleOptions options;
  options.in = options.out = slave_;
  Console console({}, options);
  const stack::Model model;
  stack::Inputs in;
  stack::Outputs out;
  in.has_flight = in.flight.has_control = true;
  in.flight.phase = FlightPhase::kTakingOff;
  out.arm = stack::ArmState::kArmed;
  out.mission.phase = MissionPhase::kRunning;
  out.aircraft.in_flight = true;
  const auto tick = [&] { console.take(model, in, out); };
  tick();
  ASSERT_TRUE(wait_for("taking off"));
  close(master_);
  EXPECT_EQ(sent_by(console, tick), std::vector{stack::CommandCode::kMissionAbort});
  // the mission has no abort path, and ends
  out.mission.phase = MissionPhase::kAborted;
  EXPECT_EQ(sent_by(console, tick), std::vector{stack::CommandCode::kMissionLand});
  EXPECT_FALSE(console.left()) << "it still climbs";
  in.flight.phase = FlightPhase::kLanding;
  tick();
  for (int i = 0; i < 6000 && !console.left(); ++i) poll(nullptr, 0, 10);
  EXPECT_TRUE(console.left()) << "what the flight controller finishes by itself";
}

// the flight hangs, on a disk say, and goes on when nobody thinks of it any more
TEST_F(Pty, WhatAFlightThatHangsDoesNotTakeUpIsToldAndLapsesButForWhatStops) {
  ConsoleOptions options;
  options.in = options.out = slave_;
  Console console({}, options);
  console.take({}, {}, {});
  ASSERT_TRUE(wait_for("Nothing moves before you ask"));
  ASSERT_EQ(write(master_, "f", 1), 1);
  ASSERT_TRUE(wait_for("Arm, and fly"));
  ASSERT_EQ(write(master_, "y", 1), 1);
  ASSERT_TRUE(wait_for("ask again")) << said_;
  EXPECT_TRUE(wait_for("s  nothing was done")) << "among the events too";
  said_.clear();
  ASSERT_EQ(write(master_, "i", 1), 1);
  ASSERT_TRUE(wait_for("it holds"));
  ASSERT_EQ(write(master_, "h", 1), 1);
  ASSERT_TRUE(wait_for("ask again")) << said_;
  stack::Outputs armed;
  armed.arm = stack::ArmState::kArmed;
  const auto tick = [&] { console.take({}, {}, armed); };
  EXPECT_EQ(sent_by(console, tick), std::vector{stack::CommandCode::kMissionCutoff});
}

// a machine that slept: what was to come of a key is as old as what was pressed meanwhile
TEST_F(Pty, AProgramThatStoodStartsNothingAndDoesNoKeyOfMeanwhile) {
  const pid_t child = start([](int fd) {
    ConsoleOptions options;
    options.in = options.out = fd;
    Console console({}, options);
    FixedVector<stack::OperatorCommand, 8> taken;
    for (;; poll(nullptr, 0, 10)) {
      taken.clear();
      console.commands(taken);
      console.take({}, {}, {});
      for (const stack::OperatorCommand& c : taken)
        if (c.code != stack::CommandCode::kArm) console.note("it went on");
    }
  });
  ASSERT_TRUE(wait_for("Nothing moves before you ask"));
  const auto stand = [&](const char* meanwhile) {
    kill(child, SIGSTOP);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
    ASSERT_EQ(write(master_, meanwhile, std::strlen(meanwhile)), ssize_t(std::strlen(meanwhile)));
    std::this_thread::sleep_for(flight::kTakenUpWithin);
    said_.clear();
    kill(child, SIGCONT);
  };
  // of whom nothing was asked there is nothing to tell
  stand("");
  ASSERT_EQ(write(master_, "j", 1), 1);
  EXPECT_TRUE(wait_for("j again: back"));
  EXPECT_FALSE(has_said("ask again"));
  for (int i = 0; i < 100 && !has_said("not started: the program stood"); ++i) {
    said_.clear();
    ASSERT_EQ(write(master_, "f", 1), 1);
    ASSERT_TRUE(wait_for("Arm, and fly"));
    ASSERT_EQ(write(master_, "y", 1), 1);
    ASSERT_TRUE(wait_for_any({"yes", "nothing was done"}));
    stand("");
    // or the key was taken for one of before, or two seconds were over, and nothing was armed
    ASSERT_TRUE(
        wait_for_any({"not started: the program stood", "nothing was done", "not armed: "}));
  }
  EXPECT_TRUE(wait_for("not started: the program stood"));
  stand("h");
  EXPECT_TRUE(wait_for("nothing was done: the program stood"));
  EXPECT_FALSE(has_said("it went on"));
}

}  // namespace
}  // namespace pintle::console
