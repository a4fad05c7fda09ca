#include "pintle/config/json_schema.h"

#include <gtest/gtest.h>

#include "pintle/config/craft_test.h"

namespace pintle::config {
namespace {

std::string schema() { return json_schema(table_of<Craft>(), "A craft file", "pintle/craft/1"); }

// the schema is valid YAML too: read it back with our own parser
Document parsed() { return Document::parse(schema(), "schema.json"); }

std::string at(const Document& d, std::string_view path) {
  const Node* node = d.at(path);
  if (node == nullptr) return "missing";
  if (node->is_scalar()) return node->scalar;
  return d.text().substr(node->begin, node->end - node->begin);
}

TEST(JsonSchemaTest, IsTheSameTextEveryTimeWithOneNewlineAtTheEnd) {
  EXPECT_EQ(schema(), schema());
  EXPECT_TRUE(schema().ends_with("}\n"));
  EXPECT_FALSE(schema().ends_with("\n\n"));
  EXPECT_EQ(schema().find('\t'), std::string::npos);
}

TEST(JsonSchemaTest, HasThePropertiesInTableOrder) {
  const Document d = parsed();
  EXPECT_EQ(d.root().entries[1].value.scalar, "A craft file");
  const Node& properties = *d.at("properties");
  ASSERT_EQ(properties.entries.size(), table_of<Craft>().fields.size() + 1);
  EXPECT_EQ(properties.entries[0].key, "format");
  for (std::size_t i = 0; i < table_of<Craft>().fields.size(); ++i)
    EXPECT_EQ(properties.entries[i + 1].key, table_of<Craft>().fields[i].name);
  EXPECT_EQ(at(d, "properties.format.const"), "pintle/craft/1");
  EXPECT_EQ(at(d, "required"), "[\"format\", \"mass_kg\"]");
  EXPECT_EQ(at(d, "additionalProperties"), "false");
}

TEST(JsonSchemaTest, SaysTypeUnitRangeAndDefault) {
  const Document d = parsed();
  EXPECT_EQ(at(d, "properties.mass_kg.description"), "Mass. [kg]");
  EXPECT_EQ(at(d, "properties.mass_kg.type"), "number");
  EXPECT_EQ(at(d, "properties.mass_kg.exclusiveMinimum"), "0");
  EXPECT_EQ(at(d, "properties.mass_kg.default"), "missing");  // required: no default counts
  EXPECT_EQ(at(d, "properties.max_thrust_N.default"), "50");
  EXPECT_EQ(at(d, "properties.count.type"), "integer");
  EXPECT_EQ(at(d, "properties.count.maximum"), "10");
  EXPECT_EQ(at(d, "properties.small.maximum"), "255");
  EXPECT_EQ(at(d, "properties.seed.minimum"), "0");
  EXPECT_EQ(at(d, "properties.on.default"), "false");
  EXPECT_EQ(at(d, "properties.note.default"), "none");
  EXPECT_EQ(at(d, "properties.code.default"), "abc");
}

TEST(JsonSchemaTest, DescribesListsKeyedArraysAndOptionalValues) {
  const Document d = parsed();
  EXPECT_EQ(at(d, "properties.limits.anyOf[0].properties.yaw.type"), "number");
  EXPECT_EQ(at(d, "properties.limits.anyOf[0].additionalProperties"), "false");
  EXPECT_EQ(at(d, "properties.limits.anyOf[1].minItems"), "6");
  EXPECT_EQ(at(d, "properties.limits.default"), "[1, 1, 1, 1, 1, 1]");
  EXPECT_EQ(at(d, "properties.curve.maxItems"), "4");
  EXPECT_EQ(at(d, "properties.parts.minItems"), "1");
  EXPECT_EQ(at(d, "properties.after_s.anyOf[0].minimum"), "0");
  EXPECT_EQ(at(d, "properties.after_s.anyOf[1].type"), "null");
}

TEST(JsonSchemaTest, DefinesNestedTablesOnceByName) {
  const Document d = parsed();
  EXPECT_EQ(at(d, "properties.parts.items.$ref"), "#/definitions/Part");
  EXPECT_EQ(at(d, "properties.spare.anyOf[0].$ref"), "#/definitions/Part");
  EXPECT_EQ(at(d, "definitions.Part.required"), "[\"name\"]");
  EXPECT_EQ(at(d, "definitions.Gains.properties.derivative_type.enum"),
            "[\"calculated\", \"provided\", \"none\", 0, 1, 7]");
  EXPECT_EQ(at(d, "definitions.Gains.properties.derivative_type.default"), "calculated");
  EXPECT_EQ(at(d, "definitions.Gains.properties.derivative_type.description"),
            "Which. calculated: From the error. provided: From outside. none: No derivative.");
  EXPECT_EQ(d.at("definitions")->entries.size(), 2U);
}

TEST(JsonSchemaTest, OffersShortStructsAsListAndAsMap) {
  const Document d = parsed();
  // range and unit of the field hold for the numbers inside
  const std::string position = "definitions.Part.properties.position_m";
  EXPECT_EQ(at(d, position + ".anyOf[0].items[1].minimum"), "-10");
  EXPECT_EQ(at(d, position + ".anyOf[0].minItems"), "3");
  EXPECT_EQ(at(d, position + ".anyOf[1].properties.z.maximum"), "10");
  EXPECT_EQ(at(d, position + ".anyOf[1].required"), "[\"x\", \"y\", \"z\"]");
  EXPECT_EQ(at(d, position + ".default"), "[1, 2, 3]");
}

}  // namespace
}  // namespace pintle::config
