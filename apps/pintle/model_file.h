/// Files that describe a robot and are not Pintle's own.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "pintle/config/problem.h"

namespace pintle::app {

enum class ModelFormat { kJets, kUrdf, kSdf, kMjcf };

/// What a file describes: an .ini of the jets plugin by its ending or its keys, the others by the
/// name of their first element, whatever they are called, else by .sdf and .urdf. Nothing: none of
/// these. @throws config::ConfigError when it cannot be
/// read.
[[nodiscard]] std::optional<ModelFormat> model_format(const std::filesystem::path& file);

/// Everything that is wrong with such a file, and with the .ini that it names; warnings included.
/// `folders`: where model:// is looked for first.
[[nodiscard]] std::vector<config::Problem> problems_of_model(
    const std::filesystem::path& file, ModelFormat format,
    const std::vector<std::filesystem::path>& folders);

}  // namespace pintle::app
