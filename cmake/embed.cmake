# SPDX-License-Identifier: Apache-2.0
# Puts text files into the binary: each becomes a generated .cpp that is written again when the file changes, and one index maps names to contents.
# Bytes are written as character constants, so any content and any size will do; the same file is the generator when run with `cmake -P`.
#   cmake -DINPUT=FILE -DOUTPUT=FILE.cpp -DSYMBOL=NAME -P embed.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} bytes HEX)
  file(SIZE ${INPUT} byte_count)
  # Lines of 32 bytes: compilers and editors dislike one line of megabytes.
  string(REPEAT "[0-9a-f]" 64 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(WRITE ${OUTPUT}
    "// Generated from a text file of the source tree.\n#include <string_view>\n\nnamespace rlverify::report::embedded {\n\nnamespace {\n\n"
    "const char kBytes[] = {\n${bytes}\n'\\0'};\n\n}  // namespace\n\n"
    "extern const std::string_view ${SYMBOL};\nconst std::string_view ${SYMBOL}(kBytes, ${byte_count});\n\n}  // namespace rlverify::report::embedded\n")
  return()
endif()

set(RLVERIFY_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# rlverify_embed(TARGET FILE...): the files' names in the index are their paths relative to the source tree; lib/report/embedded.h reads the index.
function(rlverify_embed target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(sources)
  set(declarations "")
  set(entries "")
  foreach(file ${ARGN})
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
    string(MAKE_C_IDENTIFIER "file_${name}" symbol)
    add_custom_command(OUTPUT ${folder}/${symbol}.cpp
      COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${folder}/${symbol}.cpp -DSYMBOL=${symbol} -P ${RLVERIFY_EMBED_SCRIPT}
      DEPENDS ${file} ${RLVERIFY_EMBED_SCRIPT} VERBATIM)
    list(APPEND sources ${folder}/${symbol}.cpp)
    string(APPEND declarations "extern const std::string_view ${symbol};\n")
    string(APPEND entries "    {\"${name}\", &embedded::${symbol}},\n")
  endforeach()
  list(LENGTH sources count)
  file(CONFIGURE OUTPUT ${folder}/index.cpp @ONLY CONTENT
    "// Generated: the index of embedded files.
#include \"report/embedded.h\"

#include <array>

namespace rlverify::report {

namespace embedded {
@declarations@}  // namespace embedded

namespace {
// Pointers, since the views may be initialised after this table.
struct Entry {
  std::string_view name;
  const std::string_view* content;
};
}  // namespace

std::vector<EmbeddedFile> embedded_files() {
  static const std::array<Entry, @count@> kEntries = {{
@entries@  }};
  std::vector<EmbeddedFile> files;
  files.reserve(kEntries.size());
  for (const Entry& entry : kEntries) {
    files.push_back({entry.name, *entry.content});
  }
  return files;
}

}  // namespace rlverify::report
")
  target_sources(${target} PRIVATE ${sources} ${folder}/index.cpp)
endfunction()
