/// Where messages go that their field table describes: a log, the clients of a live server.
#pragma once
#include <cstdint>
#include <string_view>

#include "pintle/base/fields.h"
#include "pintle/base/time.h"

namespace pintle::telemetry {

class MessageSink {
 public:
  using Channel = std::uint16_t;

  MessageSink() = default;
  virtual ~MessageSink() = default;

  /// At any time. The table must live as long as the program, as those of `table_of` do.
  [[nodiscard]] virtual Channel add_channel(std::string_view topic, const Table& table) = 0;
  /// False: it was lost.
  virtual bool write(Channel channel, const void* object, Time time) = 0;
  template <class T>
  bool write(Channel channel, const T& object, Time time) {
    return write(channel, static_cast<const void*>(&object), time);
  }

 protected:
  MessageSink(const MessageSink&) = default;
  MessageSink& operator=(const MessageSink&) = default;
};

}  // namespace pintle::telemetry
