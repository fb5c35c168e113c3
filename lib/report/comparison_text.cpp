// SPDX-License-Identifier: Apache-2.0
// What a person reads after `compare`: one row per candidate, then where each parts from the reference, then the
// evidence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "report/comparison_document.h"
#include "report/finding_text.h"
#include "report/findings_text.h"
#include "report/text_layout.h"
#include "report/utf8.h"

namespace rlverify::report {

namespace {

using compare::CandidateComparison;
using compare::Verdict;

constexpr std::array<std::string_view, 7> kColumns = {"candidate", "backends",  "graphs", "weights",
                                                      "tokens",    "log-probs", "norms"};

struct Cell {
  std::string text;
  Style style = Style::kPlain;
};

Cell verdict_cell(const Verdict& verdict, bool required, bool note_only = false) {
  if (!verdict) {
    return {"none", required ? Style::kBad : Style::kWarning};
  }
  if (*verdict) {
    return {"equal", Style::kGood};
  }
  return note_only ? Cell{"asked", Style::kWarning} : Cell{"differ", Style::kBad};
}

std::array<Cell, kColumns.size()> row_of(const CandidateComparison& candidate, bool unicode) {
  return {Cell{printable(candidate.name, !unicode), Style::kPlain},
          verdict_cell(candidate.backends, false, candidate.backends_note_only),
          verdict_cell(candidate.graphs, false, candidate.graphs_note_only),
          verdict_cell(candidate.weights.equal, true),
          verdict_cell(candidate.tokens, true),
          verdict_cell(candidate.log_probs, false),
          verdict_cell(candidate.norms_equal(), true)};
}

using Row = std::array<Cell, kColumns.size()>;

/// The table where it is wider than the terminal: a line for each verdict below the candidate's name.
std::string stacked(const std::vector<Row>& rows, const TextOptions& options) {
  std::string out = "\n";
  for (const Row& row : rows) {
    out += wrapped("", row.front().text, 2, options.columns);
    for (std::size_t column = 1; column < kColumns.size(); ++column) {
      const Cell& cell = row.at(column);
      out += "    " + padded(kColumns.at(column), 11) + styled(cell.text, cell.style, options.colour) + '\n';
    }
  }
  return out;
}

std::string table(const compare::RunComparison& comparison, const TextOptions& options) {
  std::vector<Row> rows;
  std::array<std::size_t, kColumns.size()> widths{};
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    widths.at(column) = kColumns.at(column).size();
  }
  for (const CandidateComparison& candidate : comparison.candidates) {
    rows.push_back(row_of(candidate, options.unicode));
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      widths.at(column) = std::max(widths.at(column), display_width(rows.back().at(column).text));
    }
  }
  if (std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) > options.columns) {
    return stacked(rows, options);
  }
  std::string out = "\n ";
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    out += " " + padded(kColumns.at(column), widths.at(column)) + (column + 1 < kColumns.size() ? " " : "");
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      const Cell& cell = row.at(column);
      const std::size_t used = display_width(cell.text);
      const bool last = column + 1 == kColumns.size();
      line += " " + styled(cell.text, cell.style, options.colour) +
              std::string(last ? 0 : widths.at(column) - used + 1, ' ');
    }
    out += line + '\n';
  }
  return out;
}

/// What each verdict word of the table means is told once, where it is used.
std::string legend(const std::string& table_text) {
  std::string out;
  if (table_text.find("asked") != std::string::npos) {
    out += "  asked: they differ, and the manifests ask for it\n";
  }
  if (table_text.find("none") != std::string::npos) {
    out += "  none: no evidence on a side (weights, tokens and norms are required)\n";
  }
  return out;
}

std::string divergence(const CandidateComparison& candidate, const TextOptions& options) {
  const std::string name = printable(candidate.name, !options.unicode);
  std::string text;
  if (candidate.first) {
    text = fmt::format("{}: first divergence: {}; {}", name, candidate.first->what, candidate.first->before);
  } else if (candidate.passed()) {
    text = fmt::format("{}: everything compared is bit-identical", name);
  } else {
    text = fmt::format("{}: no difference was found, and not everything could be compared", name);
  }
  return wrapped("", printable(text, !options.unicode), 0, options.columns);
}

std::string coverage_line(const ComparisonInput& input, const TextOptions& options) {
  std::uint64_t tensors = 0;
  std::uint64_t tokens = 0;
  std::uint64_t log_probs = 0;
  std::uint64_t norms = 0;
  for (const CandidateComparison& candidate : input.comparison.candidates) {
    tensors += candidate.coverage.weights.tensors;
    tokens += candidate.coverage.tokens.elements;
    log_probs += candidate.coverage.log_probs.elements;
    norms += candidate.coverage.norms.elements;
  }
  return wrapped("",
                 fmt::format("compared: {} weight tensors, {} tokens, {} log-probs, {} norms", grouped(tensors),
                             grouped(tokens), grouped(log_probs), grouped(norms)),
                 0, options.columns);
}

}  // namespace

std::string comparison_text(const ComparisonInput& input, const TextOptions& options) {
  const compare::RunComparison& comparison = input.comparison;
  const core::ExitCode code = comparison.exit_code();
  const bool passed = code == core::ExitCode::kPassed;
  const std::size_t count = comparison.candidates.size();
  const std::string rest = fmt::format("{} {} against {}{}", count, count == 1 ? "candidate" : "candidates",
                                       printable(comparison.reference, !options.unicode),
                                       code == core::ExitCode::kNothingComparable ? ": nothing could be compared" : "");
  const std::string head = wrapped(passed ? "PASSED" : "FAILED", rest, 7, options.columns);
  std::string out = styled(head.substr(0, 6), passed ? Style::kGood : Style::kBad, options.colour) + head.substr(6);
  out += coverage_line(input, options);
  const std::string rows = table(comparison, options);
  out += rows + legend(rows) + '\n';
  for (const CandidateComparison& candidate : comparison.candidates) {
    out += divergence(candidate, options);
  }
  return out + findings_text(all_findings(comparison), options);
}

}  // namespace rlverify::report
