#include "pintle/sight/picture_log.h"

#include <utility>

#include "pintle/vision/image_file.h"

namespace pintle::sight {

PictureLog::PictureLog() : thread_([this] { run(); }) {}

PictureLog::~PictureLog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool PictureLog::put(const Image& image, Time stamp) {
  {
    const std::lock_guard lock(mutex_);
    if (raw_.size() + encoded_.size() >= kMostUnderWay) return false;
    Raw& raw = raw_.emplace_back();
    if (!spare_.empty()) {
      raw.image = std::move(spare_.back());
      spare_.pop_back();
    }
    raw.image = image;
    raw.stamp = stamp;
  }
  changed_.notify_all();
  return true;
}

bool PictureLog::take(simulation::EncodedPicture& out, bool all) {
  std::unique_lock lock(mutex_);
  if (all) changed_.wait(lock, [this] { return !encoded_.empty() || raw_.empty(); });
  if (encoded_.empty()) return false;
  out = std::move(encoded_.front());
  encoded_.pop_front();
  return true;
}

void PictureLog::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !raw_.empty(); });
    if (ends_) return;
    // nobody else touches the first, and a deque leaves it where it is
    Raw& raw = raw_.front();
    lock.unlock();
    simulation::EncodedPicture made{raw.stamp, "jpeg", {}};
    const bool good =
        vision::encode_jpeg({raw.image.pixels.data(), raw.image.width, raw.image.height,
                             raw.image.channels, raw.image.stride()},
                            kQuality, made.bytes);
    lock.lock();
    spare_.push_back(std::move(raw.image));
    raw_.pop_front();
    if (good) encoded_.push_back(std::move(made));
    lock.unlock();
    changed_.notify_all();
    lock.lock();
  }
}

}  // namespace pintle::sight
