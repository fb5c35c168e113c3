// SPDX-License-Identifier: Apache-2.0
// Catch2's main for all of the kernels' tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
