/// Runs a program as a user would and keeps what it said.
#pragma once
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace pintle::testing {

struct Said {
  int code = -1;
  std::string out, err;
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::size_t at = 0;
    while (at < out.size()) {
      const std::size_t end = std::min(out.find('\n', at), out.size());
      all.push_back(out.substr(at, end - at));
      at = end + 1;
    }
    return all;
  }
};

/// Through the shell, in the repository's folder, with `input` on stdin.
inline Said shell(const std::string& command, const std::string& input = "") {
  namespace fs = std::filesystem;
  static int count = 0;
  const fs::path base = fs::temp_directory_path() / ("pintle-cli-" + std::to_string(::getpid()) +
                                                     "-" + std::to_string(count++));
  const std::string in = base.string() + ".in", out = base.string() + ".out",
                    err = base.string() + ".err";
  std::ofstream(in) << input;
  const std::string line = "cd '" PINTLE_SOURCE_DIR "' && { " + command + " ; } <'" + in + "' >'" +
                           out + "' 2>'" + err + "'";
  const int status = std::system(line.c_str());
  const auto text = [](const std::string& file) {
    std::ifstream f(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(f), {}};
  };
  Said said{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text(out), text(err)};
  for (const std::string& file : {in, out, err}) fs::remove(file);
  return said;
}

/// The command under test with these arguments.
inline Said pintle(const std::string& arguments, const std::string& input = "") {
  return shell("'" PINTLE_COMMAND "' " + arguments, input);
}

/// Cells of one CSV line.
inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::size_t at = 0;
  while (true) {
    const std::size_t comma = line.find(',', at);
    all.push_back(line.substr(at, comma - at));
    if (comma == std::string::npos) return all;
    at = comma + 1;
  }
}

}  // namespace pintle::testing
