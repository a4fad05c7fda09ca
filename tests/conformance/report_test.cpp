// what a reader of report.html finds: from whole runs, as the command leaves them
#include <gtest/gtest.h>
#include <unistd.h>

#include "command.h"

namespace pintle {
namespace {

namespace fs = std::filesystem;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Of the rows of a report's events: of what needs attention, how often it came. A row stands for all of
/// its kind, and says how many there were.
std::size_t asks(const std::string& events) {
  std::size_t n = 0;
  for (std::size_t at = events.find("class=\"bad\""); at != std::string::npos;) {
    const std::size_t next = events.find("class=\"bad\"", at + 1);
    const std::string row = events.substr(at, events.find("</tr>", at) - at);
    const std::size_t times = row.find(" times, last at ");
    const std::size_t begin =
        times == std::string::npos ? times : row.find_last_not_of("0123456789", times - 1);
    n += times == std::string::npos ? 1 : std::stoul(row.substr(begin + 1));
    at = next;
  }
  return n;
}

std::string events_of(const std::string& mission, const std::string& more, std::string& html) {
  const fs::path folder = fs::temp_directory_path() / ("pintle-report-" + std::to_string(getpid()));
  const testing::Said said = testing::pintle("run missions/" + mission + " -q --overwrite --out '" +
                                             folder.string() + "' " + more);
  EXPECT_EQ(said.out, "pass\n") << said.err;
  std::ifstream in(folder / "report.html");
  html = {std::istreambuf_iterator<char>(in), {}};
  fs::remove_all(folder);
  const std::size_t at = html.find("<section id=\"events\">");
  return html.substr(at, html.find("</section>", at) - at);
}

TEST(Report, OfALandingThatPassedAsksForLittleAttention) {
  for (const char* seed : {"--seed 1", "--seed 2", "--seed 3"}) {
    std::string html;
    const std::string events = events_of("rocket_landing.yaml", seed, html);
    EXPECT_LE(asks(events), 5U) << seed << events;
    EXPECT_LE(count(events, "<tr"), 60U) << seed;
    EXPECT_NE(events.find("<td>landing phase</td><td>touch down</td>"), std::string::npos) << seed;
    EXPECT_NE(events.find(" times, last at "), std::string::npos) << seed;
    // fins by their angle, engines by their thrust
    EXPECT_NE(html.find("largest 45 \xC2\xB0"), std::string::npos) << seed;
    EXPECT_NE(html.find(" N</text>"), std::string::npos) << seed;
  }
}

TEST(Report, OfAnyShippedMissionThatPassedAsksForLittleAttention) {
  for (const char* mission :
       {"pool.yaml", "pool_m5.yaml", "harbour.yaml", "hover_box.yaml", "hover_ironcub.yaml"}) {
    std::string html;
    const std::string events = events_of(mission, "", html);
    EXPECT_LE(asks(events), 5U) << mission << events;
  }
}

#ifdef PINTLE_HAS_MUJOCO
TEST(Report, OfADeliveryThatPassedAsksForLittleAttentionAndNamesWhatItRefused) {
  std::string html;
  // false sightings are in this world: some are where no target can be
  const std::string events = events_of("delivery.yaml", "--seed 4", html);
  const std::size_t asked = asks(events);
  EXPECT_LE(asked, 5U) << events;
  // one row may stand for several
  EXPECT_GT(asked, count(events, "class=\"bad\"")) << events;
  EXPECT_NE(events.find("input rejected</td><td>target"), std::string::npos);
  EXPECT_EQ(events.find("navigation"), std::string::npos) << "nobody asked for a flight";
  // what was asked for, and not by which number
  EXPECT_NE(events.find("<td>request sent</td><td>grab</td>"), std::string::npos);
}

TEST(Report, OfADeliverySaysWhereThingsCameToRestAndWhatChargeIsLeft) {
  std::string html;
  (void)events_of("delivery.yaml", "", html);
  for (const char* fact : {"payload to marker", "craft to pad", "charge left"})
    EXPECT_EQ(count(html, std::string("<dt>") + fact), 1U) << fact;
  // by the numbers of the mission file, which the console has on its keys
  EXPECT_NE(html.find("<td class=\"n\">0</td><td>stand_by</td>"), std::string::npos);
}
#endif

}  // namespace
}  // namespace pintle
