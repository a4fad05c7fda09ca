#include "allocation/peers.h"

namespace pintle::bench {

Peers make_peers(std::uint32_t n) {
  Peers peers;
  if (auto p = make_qpmad(n)) peers.push_back(std::move(p));
  if (auto p = make_daqp()) peers.push_back(std::move(p));
  if (auto p = make_qpoases()) peers.push_back(std::move(p));
  if (auto p = make_osqp()) peers.push_back(std::move(p));
  return peers;
}

}  // namespace pintle::bench
