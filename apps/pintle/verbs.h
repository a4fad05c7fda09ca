/// The verbs of the command line: one file each, every one added to the parser by its own function.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace pintle::app {

/// Exit codes, the same for every verb.
enum ExitCode : int {
  kOk = 0,
  kCheckFailed = 1,  ///< The work was done, the answer is no.
  kUsage = 2,
  kConfiguration = 3,
  kRunTimeFault = 4,
  kReplayMismatch = 5,
};

/// A verb's callback leaves its exit code here.
struct Session {
  int exit_code = kOk;
};

void add_run(CLI::App& app, Session& session);
void add_console(CLI::App& app, Session& session);
void add_command(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_matrix(CLI::App& app, Session& session);
void add_allocate(CLI::App& app, Session& session);
void add_trace(CLI::App& app, Session& session);
void add_import(CLI::App& app, Session& session);
void add_detect(CLI::App& app, Session& session);
void add_calibrate(CLI::App& app, Session& session);
void add_replay(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_play(CLI::App& app, Session& session);
void add_directions(CLI::App& app, Session& session);
void add_device(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);
void add_schema(CLI::App& app, Session& session);
void add_yarp(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);

}  // namespace pintle::app
