#include "pintle/console/console.h"

#include <utility>

#include "pintle/console/waited.h"

namespace pintle::console {
namespace {

constexpr int kWait_ms = 50;
constexpr std::chrono::milliseconds kPicture{100};
constexpr const char* kNotStarted =
    "not started: the program stood still since this was asked; ask again";

}  // namespace

Console::Console(std::vector<MenuState> states, const ConsoleOptions& options)
    : title_(options.title),
      craft_stops_too_(options.craft_stops_too),
      terminal_(options.in, options.out),
      menu_(std::move(states), options.quitting),
      thread_([this] { work(); }) {
  if (!options.listens.empty()) note("pintle command --to " + options.listens);
}

Console::~Console() {
  stop_ = true;
  thread_.join();
}

void Console::take(const stack::Model& model, const stack::Inputs& in, const stack::Outputs& out) {
  const std::lock_guard lock(mutex_);
  builder_.take(model, in, out);
  last_tick_ = Clock::now();
}

void Console::commands(FixedVector<stack::OperatorCommand, 8>& to) {
  const std::lock_guard lock(mutex_);
  requests_.take(to, Clock::now());
}

void Console::note(std::string text) {
  const std::lock_guard lock(mutex_);
  builder_.note(std::move(text));
}

void Console::obey(const MenuAnswer& answer) {
  if (!answer.commands.empty()) {
    const std::lock_guard lock(mutex_);
    requests_.add(answer.commands, Clock::now());
  }
  if (answer.quit) left_ = true;
}

/// `read`: what a look at the terminal found, however late.
void Console::mind_lapses(const std::string& read) {
  const char* what = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const bool stood = requests_.look(Clock::now());
    if (read.empty()) requests_.find_nothing();
    if (requests_.has_lapsed())
      what = flight::kSaidLate;
    else if (stood && menu_.is_to_start())
      what = kNotStarted;
  }
  if (what == nullptr) return;
  menu_.lapse(what);
  note(what);
}

void Console::take_keys(const View& view, double time_s) {
  const std::string bytes = terminal_.read(kWait_ms);
  mind_lapses(bytes);
  std::string keys;
  if (bytes.empty())
    keys_.settle(keys);
  else
    keys_.feed(bytes, keys);
  for (const char key : keys) {
    if (key == kSuspend)
      stop(view);
    else
      obey(menu_.press(key, view, time_s));
  }
}

void Console::stop(const View& view) {
  if (craft_stops_too_ || !view.in_flight) return terminal_.suspend();
  Terminal::forget_stop();
  constexpr const char* kWhy = "not stopped: nobody would fly it";
  note(kWhy);
  menu_.tell(kWhy);
}

/// A signal, or a window that is gone: as by its key, without a question.
void Console::mind_the_end(const View& view, double time_s) {
  if (told_to_end_ || (!Terminal::end_requested() && terminal_.alive())) return;
  told_to_end_ = true;
  obey(menu_.leave(view, time_s));
}

void Console::work() {
  using Seconds = std::chrono::duration<double>;
  Clock::time_point next_picture = Clock::now(), before = next_picture;
  Waited waited;
  while (!stop_) {
    View view;
    Clock::time_point last_tick;
    {
      const std::lock_guard lock(mutex_);
      view = builder_.view();
      last_tick = last_tick_;
    }
    const Clock::time_point now = Clock::now();
    const double time_s =
        waited.advance(Seconds(now - before).count(), Seconds(now - last_tick).count());
    before = now;
    if (Terminal::stop_requested()) stop(view);
    const ScreenSize size = terminal_.size();
    menu_.has_room(lines_of(menu_.line(), size.width) <= size.height);
    if (!left_ && terminal_.alive())
      take_keys(view, time_s);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(kWait_ms));
    if (!left_) {
      obey(menu_.update(view, time_s));
      mind_the_end(view, time_s);
    }
    if (now >= next_picture) {
      terminal_.draw(render(title_, view, menu_, size.width, size.height));
      next_picture = now + kPicture;
    }
  }
}

}  // namespace pintle::console
