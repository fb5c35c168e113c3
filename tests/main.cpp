// SPDX-License-Identifier: Apache-2.0
// The one main() of the unit tests. A run that selects no test case is an error: a filter that matches nothing must
// never look green.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (const int status = session.applyCommandLine(argc, argv); status != 0) {
    return status;
  }
  session.configData().warnings =
      static_cast<Catch::WarnAbout::What>(session.configData().warnings | Catch::WarnAbout::NoTests);
  return session.run();
}
