// SPDX-License-Identifier: Apache-2.0
// The log-prob prior-art document (spec/documents.md section 8).
// Version rule: it has the keys of its published example and no version of its own; a new key would be a new document.
#pragma once

#include <string>
#include <string_view>

#include "replay/prior_art.h"
#include "report/document.h"

namespace rlverify::report {

/// Keys in the order of the published example; `kind` is `model` and "_logprob_prior_art". Write with
/// KeyOrder::kAsBuilt.
[[nodiscard]] Document prior_art_document(const replay::PriorArt& result, std::string_view model);

}  // namespace rlverify::report
