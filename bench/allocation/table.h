// What bench/allocation prints.
#pragma once
#include "allocation/measure.h"

namespace pintle::bench {

/// One row of the goals: ours over the fastest exact peer's, each figure over the best in it.
struct Goal {
  std::string what;
  double ours = 0;
  double peer = 0;     ///< 0: nobody to compare with.
  double at_most = 0;  ///< Of the ratio, or of `ours` where there is no peer.
  std::string who;
};

class Table {
 public:
  void times(const std::string& title, std::vector<Times>& rows);
  void goal(const std::string& what, const std::vector<Times>& rows, double Times::*figure,
            double at_most);
  void goal(const Goal& goal) { goals_.push_back(goal); }
  void line(const std::string& text);
  /// All goals, each with whether it is reached.
  void goals() const;

 private:
  std::vector<Goal> goals_;
};

}  // namespace pintle::bench
