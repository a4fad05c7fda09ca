/// A small name server, for machines without YARP.
///
/// Knows register, unregister, query, list, set, get, check, announce, `bot` before any of them,
/// and help; what it is told it forgets when it ends, as YARP's does. It is itself a port named
/// /root that answers in all three ways that programs ask: "NAME_SERVER …", "NAME_SER" + "VER …",
/// and as text on a connection.
#pragma once
#include <filesystem>
#include <map>
#include <memory>

#include "pintle/yarp/network.h"

namespace pintle::yarp {

/// Names, where they are, and what is set about them.
class NameTable {
 public:
  explicit NameTable(Address own);
  /// Lines with CR LF, the last one with '*' or '['.
  [[nodiscard]] std::string answer(std::string_view command);
  /// The same for bottles.
  [[nodiscard]] Bottle answer(const Bottle& command);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    Registration at;
    std::map<std::string, std::string> properties;
  };
  [[nodiscard]] Lines lines_of(const std::vector<std::string>& words);
  [[nodiscard]] std::string enter(const std::vector<std::string>& words);

  Address own_;
  std::map<std::string, Entry> entries_;
  int next_port_ = 0, next_name_ = 1;
};

class NameServer {
 public:
  /// Serves from now on; port 0 takes any. @throws std::runtime_error
  explicit NameServer(const Address& at);
  ~NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;
  [[nodiscard]] const Address& address() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pintle::yarp
