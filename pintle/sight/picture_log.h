/// Pictures on their way into a log: encoded as JPEG by a thread of its own, so that who takes them
/// copies one and goes on.
///
///   put -> at most kMostUnderWay pictures -> thread: JPEG -> take, in the order of put
///
/// What comes while so many are under way is left out: a picture in the log is no input of anything.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "pintle/base/image.h"
#include "pintle/simulation/sight.h"

namespace pintle::sight {

class PictureLog {
 public:
  static constexpr std::size_t kMostUnderWay = 8;
  static constexpr int kQuality = 80;

  PictureLog();
  ~PictureLog();
  PictureLog(const PictureLog&) = delete;
  PictureLog& operator=(const PictureLog&) = delete;

  /// False: it is left out.
  bool put(const Image& image, Time stamp);
  /// The next that is encoded; false: none is. `all`: waits until none is under way any more.
  [[nodiscard]] bool take(simulation::EncodedPicture& out, bool all);

 private:
  struct Raw {
    Image image;
    Time stamp;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Raw> raw_;  ///< The first is being encoded.
  std::deque<simulation::EncodedPicture> encoded_;
  std::vector<Image> spare_;  ///< For their memory.
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace pintle::sight
