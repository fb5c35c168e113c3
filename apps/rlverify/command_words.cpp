// SPDX-License-Identifier: Apache-2.0
// The words: one entry for each command, in the order of the alphabet. The examples are executed by a test.
#include <algorithm>

#include "command_help.h"

namespace rlverify::app {
namespace {

const std::vector<CommandWords>& all_words() {
  static const std::vector<CommandWords> kWords = {
      {"check-seal",
       "Names each artifact that was changed, removed or added since the record was written. Without RUN_DIR it looks "
       "at the directory of the record; that directory can be named in place of the record.",
       {{"rlverify seal examples/runs/passing -o record.json", "seal a run"},
        {"rlverify check-seal record.json examples/runs/passing", "see that nothing was changed since"}}},
      {"compare",
       "The table has a line for each candidate; then comes the first divergence of each in causal order, with "
       "everything before it that is bit-identical. Two runs of one name need another one for one of them: NAME=PATH. "
       "Weights, tokens and norms are required: without evidence for one of them the answer is not \"passed\".",
       {{"rlverify compare examples/runs/passing examples/runs/failing", "find the first difference of two runs"}},
       2},
      {"diff",
       "A is the reference. The tensors of two files, directories or sharded models are compared by name; with one "
       "argument, a sidecar or a folder of them, the training log-probs in it with the rollout log-probs. Without a "
       "tolerance only equal bits are equal.",
       {{"rlverify diff examples/runs/passing/train-data examples/runs/failing/train-data", "compare two folders"},
        {"rlverify diff examples/runs/failing/mismatch-sidecars --per-position",
         "see where the two sides inside sidecars part"}},
       3},
      {"doctor",
       "Shows how this program was built and what it finds on this machine. It judges nothing: the exit code is 0.",
       {{"rlverify doctor", "see what this program can use here"}}},
      {"explain",
       "Severity, section, meaning and hint of a finding code. An unknown code is wrong use and gets the nearest ones.",
       {{"rlverify explain RLV-330", "learn what a code means"}}},
      {"inspect",
       "Keys, dtypes, shapes, strides and shared storages of a file of torch.save, without executing any of it. What "
       "would run code when Python loads the file is shown, and the exit code is then 3.",
       {{"rlverify inspect examples/runs/failing/mismatch-sidecars/rank00004.call00000001.pt --tensor log_probs "
         "--values",
         "look at the log-probs of a sidecar"}}},
      {"prior-art",
       "Says of each contract whether it gives the same bits at four tensor-parallel ranks as at one, under every "
       "order of the collective, for a row alone as in its batch, and in every repeat; how far it is from fp64; how "
       "long it takes. Runs on the CPU where there is no GPU, and says so.",
       {{"rlverify prior-art --tokens 16 --vocab 4096 --repeats 2 -o prior-art.json", "a quick look"}},
       0,
       false},
      {"replay",
       "Computes the log-probs again from the logits or hidden states that the run kept in logp-inputs/, and names the "
       "contract, temperature and vocabulary that each side followed. A run that kept none ends with exit code 4.",
       {{"rlverify replay examples/runs/failing", "ask whose arithmetic a run followed"}},
       4},
      {"report",
       "The bundle holds the comparison, the validation of the run called NAME, its attention cases, and the free text "
       "of --scope.",
       {{"rlverify report examples/runs/passing examples/runs/failing --validate example-passing -o bundle.json",
         "write the evidence of two runs"}}},
      {"schema",
       "Lists the JSON Schemas of all documents and artifacts, or prints one. An unknown name is wrong use and gets "
       "the nearest one.",
       {{"rlverify schema", "list the schemas"}}},
      {"seal",
       "The record has all that compare and report need, so that the run itself can be deleted. The exit code is 0 "
       "when it was written whole, whatever the verdict in it, and 1 when a part of the evidence is at fault. Another "
       "record beside the run is not replaced unless -o names it.",
       {{"rlverify seal examples/runs/passing -o record.json", "seal a run"}},
       5},
      {"validate",
       "The first line is the verdict, then come the checks in causal order, then the findings with place, expected "
       "and found.",
       {{"rlverify validate examples/runs/failing", "judge a run"},
        {"rlverify validate examples/runs/passing -o validation.json", "judge a run and keep the document"},
        {"rlverify validate validation.json --schema", "check a document against its schema"}},
       1},
  };
  return kWords;
}

}  // namespace

const CommandWords* find_words(std::string_view name) {
  const auto& words = all_words();
  const auto found = std::find_if(words.begin(), words.end(), [&](const CommandWords& w) { return w.name == name; });
  return found == words.end() ? nullptr : &*found;
}

const std::vector<ExitCodeWords>& exit_codes() {
  static const std::vector<ExitCodeWords> kCodes = {
      {"0", "passed"},
      {"1", "a check failed, a difference was found, or a required check had no evidence"},
      {"2", "wrong use: command line, unknown name, a selection that matches nothing"},
      {"3", "the input named on the command line is missing, unreadable or unsafe; nothing was judged"},
      {"4", "the inputs were readable and nothing in them could be compared"},
      {"5", "internal error, the output can't be written, or a device or memory that was asked for is not there"},
      {"130, 143", "interrupted, terminated"},
  };
  return kCodes;
}

}  // namespace rlverify::app
