// SPDX-License-Identifier: Apache-2.0
// The grammar of JSON (RFC 8259) as a loop with its own stack of open containers: nesting can't overflow the program's
// stack.
#include "core/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

#include "core/json_lexer.h"
#include "core/json_number.h"
#include "core/json_parser.h"

namespace rlverify::core {

namespace {

class Parser {
 public:
  Parser(const ByteSource& source, JsonMode mode, JsonHandler& handler, const JsonLimits& limits,
         std::vector<JsonObservation>* observations, std::vector<std::uint32_t>* line_starts)
      : lexer_(source, limits, line_starts),
        mode_(mode),
        handler_(handler),
        limits_(limits),
        observations_(observations) {}

  void run() {
    lexer_.refuse_byte_order_mark();
    parse_value();
    while (!open_.empty()) {
      parse_next_element();
    }
    if (lexer_.next() != JsonLexer::kEnd) {
      lexer_.fail("the end of the text after the JSON value");
    }
  }

 private:
  enum class Container : char { kObject, kArray };

  void parse_next_element() {
    const bool in_object = open_.back() == Container::kObject;
    const int closing = in_object ? int{'}'} : int{']'};
    if (lexer_.next() == closing) {
      close_container();
      return;
    }
    if (!just_opened_) {
      if (lexer_.next() != ',') {
        lexer_.fail(in_object ? "',' or '}'" : "',' or ']'");
      }
      lexer_.advance();
    }
    if (in_object) {
      parse_key();
    }
    parse_value();
  }

  void parse_key() {
    if (lexer_.next() != '"') {
      lexer_.fail(just_opened_ ? "a key in double quotes or '}'" : "a key in double quotes");
    }
    count_value();
    const Place place = lexer_.place();
    handler_.key(lexer_.scan_string(true), place);
    if (lexer_.next() != ':') {
      lexer_.fail("':' after a key");
    }
    lexer_.advance();
  }

  void parse_value() {
    const int byte = lexer_.next();
    const Place place = lexer_.place();
    count_value();
    just_opened_ = false;
    switch (byte) {
      case '{':
        return open_container(Container::kObject, place);
      case '[':
        return open_container(Container::kArray, place);
      case '"':
        return handler_.string(lexer_.scan_string(false), place);
      case 't':
        lexer_.scan_word("true", "true");
        return handler_.boolean(true, place);
      case 'f':
        lexer_.scan_word("false", "false");
        return handler_.boolean(false, place);
      case 'n':
        lexer_.scan_word("null", "null");
        return handler_.null(place);
      case 'N':
        return parse_token("NaN", "NaN", std::numeric_limits<double>::quiet_NaN(), place);
      case 'I':
        return parse_token("Infinity", "Infinity", std::numeric_limits<double>::infinity(), place);
      default:
        break;
    }
    if (byte != '-' && (byte < '0' || byte > '9')) {
      lexer_.fail("a JSON value");
    }
    parse_number(place);
  }

  void parse_number(Place place) {
    const std::string_view text = lexer_.scan_number_text();
    const JsonNumberSyntax syntax = check_json_number(text);
    if (!syntax.valid) {
      refuse_number(text, syntax, place);
      return;
    }
    if (!syntax.integral) {
      handler_.real(json_number_value(text), text, place);
      return;
    }
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()) {
      handler_.integer(value, place);
    } else {
      handler_.big_integer(text, place);
    }
  }

  /// "-Infinity" starts like a number; every other text that is none is refused.
  void refuse_number(std::string_view text, const JsonNumberSyntax& syntax, Place place) {
    if (syntax.error_offset < text.size()) {
      lexer_.fail(lexer_.after(place, syntax.error_offset), ProblemKind::kMalformed, "a number as JSON writes it",
                  fmt::format("'{}' after '{}'", text[syntax.error_offset],
                              text.substr(0, std::min<std::size_t>(syntax.error_offset, 40))));
    }
    if (text == "-" && lexer_.peek() == 'I') {
      parse_token("Infinity", "-Infinity", -std::numeric_limits<double>::infinity(), place);
      return;
    }
    lexer_.fail("a digit");
  }

  void parse_token(std::string_view rest, std::string_view token, double value, Place place) {
    lexer_.scan_word(rest, token);
    if (mode_ == JsonMode::kStrict) {
      lexer_.fail(place, ProblemKind::kMalformed, "a JSON value", fmt::format("{}, which JSON doesn't have", token));
    }
    if (observations_ != nullptr) {
      observations_->push_back({JsonObservation::What::kNonFiniteToken, std::string(token), place});
    }
    handler_.real(value, token, place);
  }

  void open_container(Container container, Place place) {
    if (open_.size() >= limits_.max_depth) {
      lexer_.fail(place, ProblemKind::kLimit, fmt::format("at most {} levels of nesting", limits_.max_depth), "more");
    }
    open_.push_back(container);
    just_opened_ = true;
    lexer_.advance();
    if (container == Container::kObject) {
      handler_.begin_object(place);
    } else {
      handler_.begin_array(place);
    }
  }

  void close_container() {
    const Place place = lexer_.place();
    const Container container = open_.back();
    open_.pop_back();
    just_opened_ = false;
    lexer_.advance();
    if (container == Container::kObject) {
      handler_.end_object(place);
    } else {
      handler_.end_array(place);
    }
  }

  void count_value() {
    if (++values_ > limits_.max_values) {
      lexer_.fail(lexer_.place(), ProblemKind::kLimit, fmt::format("at most {} values and keys", limits_.max_values),
                  "more");
    }
  }

  JsonLexer lexer_;
  JsonMode mode_;
  JsonHandler& handler_;
  const JsonLimits& limits_;
  std::vector<JsonObservation>* observations_;
  std::vector<Container> open_;
  bool just_opened_ = false;
  std::uint64_t values_ = 0;
};

}  // namespace

void parse_json_lines(const ByteSource& source, JsonMode mode, JsonHandler& handler, const JsonLimits& limits,
                      std::vector<JsonObservation>* observations, std::vector<std::uint32_t>* line_starts) {
  if (source.size() > limits.max_bytes) {
    Problem problem;
    problem.kind = ProblemKind::kLimit;
    problem.file = source.name();
    problem.expected = fmt::format("at most {} bytes of JSON", limits.max_bytes);
    problem.found = fmt::format("{} bytes", source.size());
    throw ArtifactError(std::move(problem));
  }
  Parser(source, mode, handler, limits, observations, line_starts).run();
}

void parse_json(const ByteSource& source, JsonMode mode, JsonHandler& handler, const JsonLimits& limits,
                std::vector<JsonObservation>* observations) {
  parse_json_lines(source, mode, handler, limits, observations, nullptr);
}

}  // namespace rlverify::core
