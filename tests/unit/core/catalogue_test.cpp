#include "jissoku/core/catalogue.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace jissoku::core {
namespace {

Catalogue catalogue(std::string_view text) {
  auto parsed = Catalogue::parse(text);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message.id);
  return parsed.ok() ? *parsed : Catalogue();
}

std::string render(const std::string& text, std::vector<Argument> args) {
  return catalogue(R"({"a.b": ")" + text + R"("})").render(message("a.b", std::move(args)));
}

TEST(Catalogue, PrintsEachKindOfValueWithoutUnit) {
  EXPECT_EQ(render("<{x}>", {{"x", std::string("as {it} is")}}), "<as {it} is>");
  EXPECT_EQ(render("{x}", {{"x", std::int64_t{16777216}}}), "16,777,216");
  EXPECT_EQ(render("{x}", {{"x", 3.14159265}}), "3.142");
  EXPECT_EQ(render("{x}", {{"x", 2.0}}), "2");
  EXPECT_EQ(render("{x}", {{"x", true}}), "true");
}

TEST(Catalogue, PrintsEveryUnit) {
  EXPECT_EQ(render("{x:plain}", {{"x", std::int64_t{16777216}}}), "16777216");
  EXPECT_EQ(render("{x:time}", {{"x", 970e6}}), "970 ms");
  EXPECT_EQ(render("{x:time}", {{"x", std::int64_t{340}}}), "340 ns");
  EXPECT_EQ(render("{x:rate}", {{"x", 141.7e9}}), "142 GFLOPS");
  EXPECT_EQ(render("{x:bytes}", {{"x", std::int64_t{67108864}}}), "67.1 MB");
  EXPECT_EQ(render("{x:gbps}", {{"x", 17.94e9}}), "17.9 GB/s");
  EXPECT_EQ(render("{x:percent}", {{"x", 0.79}}), "79 %");
  EXPECT_EQ(render("{x:ratio}", {{"x", 1.519}}), "1.52x");
}

TEST(Catalogue, ChoosesThePluralByTheInteger) {
  const std::string text = "{n} {n:plural:row|rows}";
  EXPECT_EQ(render(text, {{"n", std::int64_t{1}}}), "1 row");
  EXPECT_EQ(render(text, {{"n", std::int64_t{0}}}), "0 rows");
  EXPECT_EQ(render(text, {{"n", std::int64_t{2}}}), "2 rows");
}

TEST(Catalogue, JoinsQuotedMessages) {
  const Catalogue texts = catalogue(R"({"a.why": "no engine: {reasons}", "b.x": "{lib} is missing"})");
  const std::vector<Message> reasons = {message("b.x", {{"lib", std::string("libfoo")}}),
                                        message("b.x", {{"lib", std::string("libbar")}})};
  EXPECT_EQ(texts.render(message("a.why", {{"reasons", reasons}})),
            "no engine: libfoo is missing; libbar is missing");
}

TEST(Catalogue, NeverFailsOnWhatANewerVersionWrote) {
  const Catalogue texts = catalogue(R"({"a.b": "took {time:time}"})");
  EXPECT_EQ(texts.render(message("a.b")), "took {time}?");
  EXPECT_EQ(texts.render(message("a.b", {{"time", std::string("long")}})), "took long");
  EXPECT_EQ(texts.render(message("z.new")), "z.new");
  EXPECT_EQ(texts.render(message("z.new", {{"n", std::int64_t{3}}, {"who", std::string("me")}})),
            "z.new (n=3, who=me)");
  EXPECT_EQ(texts.render(Message{}), "");
}

TEST(Catalogue, PrintsNoNumberThatIsNone) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* text :
       {"{x}", "{x:plain}", "{x:time}", "{x:rate}", "{x:bytes}", "{x:gbps}", "{x:percent}", "{x:ratio}"}) {
    EXPECT_EQ(render(text, {{"x", nan}}), "?") << text;
    EXPECT_EQ(render(text, {{"x", infinity}}), "?") << text;
    EXPECT_EQ(render(text, {{"x", -0.0}}).front(), '0') << text;
  }
}

TEST(Catalogue, NestingWithoutEndIsCutShort) {
  const Catalogue texts = catalogue(R"({"a.b": "<{x}>"})");
  Message nested = message("a.b", {{"x", std::string("deep")}});
  for (int i = 0; i < 1000; ++i) {
    Message outer = message("a.b");
    std::vector<Message> inner;
    inner.push_back(std::move(nested));
    outer.args.push_back({"x", std::move(inner)});
    nested = std::move(outer);
  }
  EXPECT_EQ(texts.render(nested), "<<<<<<<<<...>>>>>>>>>");
}

TEST(Catalogue, BracesAreLiteralWhenDoubled) {
  EXPECT_EQ(render("{{x}} {x} } {{", {{"x", std::int64_t{1}}}), "{x} 1 } {");
  EXPECT_TRUE(catalogue(R"({"a.b": "{{x}}"})").placeholders("a.b").empty());
}

TEST(Catalogue, ListsIdsAndPlaceholders) {
  const Catalogue texts = catalogue(R"([{"b.x": "{z:time} {a} {z} {n:plural:one|many}"}, {"a.y": "none"}])");
  EXPECT_EQ(texts.ids(), (std::vector<std::string>{"a.y", "b.x"}));
  EXPECT_EQ(texts.placeholders("b.x"), (std::vector<std::string>{"a", "n", "z"}));
  EXPECT_TRUE(texts.placeholders("a.y").empty());
  EXPECT_TRUE(texts.placeholders("c.z").empty());
  EXPECT_TRUE(texts.contains("a.y"));
  EXPECT_FALSE(texts.contains("c.z"));
}

struct Fault {
  const char* text;
  const char* id;
};

TEST(Catalogue, SaysWhatIsWrongWithAFaultyOne) {
  const Fault faults[] = {
      {"", "core.catalogue_not_json"},
      {"{", "core.catalogue_not_json"},
      {"{\"a.b\": \"\xFF\"}", "core.catalogue_not_json"},
      {"3", "core.catalogue_not_object"},
      {R"("text")", "core.catalogue_not_object"},
      {R"([["a"]])", "core.catalogue_not_object"},
      {R"({"a.b": 3})", "core.catalogue_not_text"},
      {R"({"a.b": {"c": "d"}})", "core.catalogue_not_text"},
      {R"({"a.b": "x", "a.b": "x"})", "core.catalogue_duplicate"},
      {R"([{"a.b": "x"}, {"a.b": "y"}])", "core.catalogue_duplicate"},
      {R"({"a.b": "{x:furlongs}"})", "core.catalogue_placeholder"},
      {R"({"a.b": "{x:plural:one}"})", "core.catalogue_placeholder"},
      {R"({"a.b": "{x"})", "core.catalogue_placeholder"},
      {R"({"a.b": "{}"})", "core.catalogue_placeholder"},
      {R"({"a.b": "{a b}"})", "core.catalogue_placeholder"},
  };
  for (const Fault& fault : faults) {
    const auto parsed = Catalogue::parse(fault.text);
    ASSERT_FALSE(parsed.ok()) << fault.text;
    EXPECT_EQ(parsed.error().exit_code, ExitCode::unreadable) << fault.text;
    EXPECT_EQ(parsed.error().message.id, fault.id) << fault.text;
  }
}

TEST(Catalogue, AFaultNamesTheEntry) {
  const auto parsed = Catalogue::parse(R"({"a.b": "{x:furlongs} {y:miles}"})");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(*parsed.error().message.find("id"), Value(std::string("a.b")));
  EXPECT_EQ(*parsed.error().message.find("placeholder"), Value(std::string("{x:furlongs}")));
}

}  // namespace
}  // namespace jissoku::core
