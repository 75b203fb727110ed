#include "jissoku/report/table.hpp"

#include <gtest/gtest.h>

namespace jissoku::report {
namespace {

Table sample() {
  return {{{"device", Align::left, 0, false},
           {"kernel", Align::left, 2, false},
           {"time", Align::right, 0, false},
           {"", Align::left, 1, true},
           {"proof", Align::left, 3, false}},
          {{{"cpu:blis", "zen3", "9.5 ms", "\u00b10.8 %", "exact"}, Tone::best, "", ""},
           {{"cpu:own", "avx2", "10.0 ms", "\u00b112 %", "exact"}, Tone::plain, "", ""}}};
}

TEST(Table, AlignsColumnsInCells) {
  EXPECT_EQ(render_table(sample(), {80, true, false}),
            "  device    kernel  time            proof\n"
            "  cpu:blis  zen3     9.5 ms \u00b10.8 %  exact\n"
            "  cpu:own   avx2    10.0 ms \u00b112 %   exact\n");
}

TEST(Table, DropsColumnsOfTheHighestRankFirst) {
  EXPECT_EQ(render_table(sample(), {40, true, false}),
            "  device    kernel  time\n"
            "  cpu:blis  zen3     9.5 ms \u00b10.8 %\n"
            "  cpu:own   avx2    10.0 ms \u00b112 %\n");
  EXPECT_EQ(render_table(sample(), {30, true, false}),
            "  device    time\n"
            "  cpu:blis   9.5 ms \u00b10.8 %\n"
            "  cpu:own   10.0 ms \u00b112 %\n");
  // A column alone under its title stands with it at the right.
  EXPECT_EQ(render_table(sample(), {20, true, false}),
            "  device       time\n"
            "  cpu:blis   9.5 ms\n"
            "  cpu:own   10.0 ms\n");
}

TEST(Table, BecomesListsWithEveryCellWhereNothingFits) {
  Table table = sample();
  table.rows.resize(1);
  table.columns[3].drop_rank = 0;
  EXPECT_EQ(render_table(table, {18, true, false}),
            "  cpu:blis\n"
            "    kernel  zen3\n"
            "    time    9.5 ms\n"
            "            \u00b10.8 %\n"
            "    proof   exact\n");
}

TEST(Table, LeavesEmptyColumnsOut) {
  Table table = sample();
  for (TableRow& row : table.rows) {
    row.cells[1].clear();
  }
  EXPECT_EQ(render_table(table, {80, true, false}),
            "  device    time            proof\n"
            "  cpu:blis   9.5 ms \u00b10.8 %  exact\n"
            "  cpu:own   10.0 ms \u00b112 %   exact\n");
}

TEST(Table, WidensAColumnForItsTitle) {
  const Table table{{{"a", Align::left, 0, false}, {"of peak", Align::right, 0, false}},
                    {{{"x", "79 %"}, Tone::plain, "", ""}}};
  EXPECT_EQ(render_table(table, {80, true, false}), "  a  of peak\n  x     79 %\n");
}

TEST(Table, SaysRemarksInPlaceOfNumbers) {
  Table table = sample();
  table.rows.push_back({{"cpu:mkl"}, Tone::plain, "not usable: the library was found nowhere", ""});
  EXPECT_EQ(render_table(table, {48, true, false}),
            "  device    kernel  time            proof\n"
            "  cpu:blis  zen3     9.5 ms \u00b10.8 %  exact\n"
            "  cpu:own   avx2    10.0 ms \u00b112 %   exact\n"
            "  cpu:mkl   not usable: the library was found\n"
            "            nowhere\n");
}

TEST(Table, PutsLinesBelowTheirRow) {
  Table table = sample();
  table.rows.resize(1);
  table.rows[0].below = "/usr/lib/libblis.so.4";
  EXPECT_EQ(render_table(table, {80, true, false}),
            "  device    kernel  time           proof\n"
            "  cpu:blis  zen3    9.5 ms \u00b10.8 %  exact\n"
            "    /usr/lib/libblis.so.4\n");
}

TEST(Table, PaintsWholeRows) {
  const Table table{{{"a", Align::left, 0, false}}, {{{"x"}, Tone::failure, "", ""}}};
  EXPECT_EQ(render_table(table, {80, true, true}), "  a\n\x1b[31m  x\x1b[0m\n");
}

}  // namespace
}  // namespace jissoku::report
