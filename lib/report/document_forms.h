// SPDX-License-Identifier: Apache-2.0
// Versions and forms of documents.
//
// The rule for the version in `schema_version` (rlverify.NAME.vN). It stays when
//   * a key is added that a reader may ignore: it stands in `properties` and not in `required`, and no key that was
//     there says less or something else because of it;
//   * a list may hold more, a text is worded differently, a finding code or a schema's description is added;
//   * a schema refuses what no version of the program ever wrote.
// The next version begins when
//   * a key goes away, is no longer always there, or changes its name, kind, unit, meaning or order of items;
//   * a value that was never null may be null, or an enumeration gets a word that a reader must know;
//   * equal inputs give other digests (a recipe has a name of its own, and a new recipe a new name).
// A writer writes one version; schemas of earlier ones stay embedded under NAME_vN, so that kept documents can be
// checked. tests/report/test_document_forms.cpp holds the keys that each version promises.
//
// Documents that others write don't keep that rule: the public validator has one `schema_version` over three forms, and
// weight audits have none. Those are told apart by their keys (spec/run-artifacts.md, versions table and section 8).
#pragma once

#include <optional>
#include <string_view>

#include "core/value.h"

namespace rlverify::report {

/// One form of a kind of document that has several.
struct DocumentForm {
  std::string_view schema;  ///< schema of this form: "validation_form2"
  std::string_view words;   ///< for people: which one it is and how it is known
};

/// The form of a validation report or a weight audit; nothing for documents of other kinds.
[[nodiscard]] std::optional<DocumentForm> form_of(core::Value document);

}  // namespace rlverify::report
