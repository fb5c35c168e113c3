// SPDX-License-Identifier: Apache-2.0
// The style sheet of the HTML page. Two palettes, chosen by the reader's system; every text colour has a contrast of at
// least 4.5 to 1 with what it stands on. Nothing is wider than the screen: long words break, and on a narrow one a
// table's last column goes below its row.
#pragma once

#include <string_view>

namespace rlverify::report {

inline constexpr std::string_view kHtmlStyle = R"css(
:root { color-scheme: light dark;
  --page: #f5f6f8; --panel: #ffffff; --text: #1b1f24; --muted: #59636e; --edge: #d4dae1; --soft: #eef1f4;
  --good: #14702f; --good-soft: #e2f4e7; --bad: #b91c26; --bad-soft: #fdeaea; --warn: #7d5200; --warn-soft: #fbf1da;
  --on-verdict: #ffffff; --accent: #0b5cad; --heat: #b91c26;
  --series-0: #9aa7b5; --series-1: #0b5cad; --series-2: #8a3ffc; --series-3: #00796b; --series-4: #b3560a; --series-5: #a8327e; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0e1217; --panel: #161c23; --text: #e4eaf0; --muted: #9aa6b2; --edge: #2e3740; --soft: #1e252d;
  --good: #4cc771; --good-soft: #12301d; --bad: #ff8078; --bad-soft: #3a1a1c; --warn: #e0b04a; --warn-soft: #33280f;
  --on-verdict: #0e1217; --accent: #6db3ff; --heat: #ff8078;
  --series-0: #66737f; --series-1: #6db3ff; --series-2: #c4a1ff; --series-3: #45c9b8; --series-4: #f2a65a; --series-5: #f28fc8; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main, header > div, footer { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
header { background: var(--panel); border-bottom: 1px solid var(--edge); border-top: 5px solid var(--verdict); }
header.good { --verdict: var(--good); } header.bad { --verdict: var(--bad); }
header > div { padding-top: 22px; padding-bottom: 20px; }
.verdict { display: inline-block; background: var(--verdict); color: var(--on-verdict); font-weight: 700; letter-spacing: .06em;
  font-size: 13px; padding: 3px 11px; border-radius: 4px; }
.command { color: var(--muted); margin-left: 10px; font-size: 14px; }
h1 { font-size: 25px; line-height: 1.25; margin: 12px 0 2px; letter-spacing: -.01em; }
h2 { font-size: 18px; margin: 34px 0 12px; letter-spacing: -.005em; }
h3 { font-size: 15px; margin: 0 0 8px; }
p { margin: 0 0 10px; } .muted { color: var(--muted); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 16px; margin: 14px 0 0; font-size: 14px; }
.facts dt, .evidence dt { color: var(--muted); } .facts dd, .evidence dd { margin: 0; }
.panel { background: var(--panel); border: 1px solid var(--edge); border-radius: 8px; padding: 16px 18px; margin: 0 0 14px; }
.panel.bad { border-left: 4px solid var(--bad); } .panel.good { border-left: 4px solid var(--good); }
.evidence { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 5px 14px; margin: 10px 0 0; font-size: 14px; }
.value { font: 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; }
.value.expected { color: var(--good); } .value.found { color: var(--bad); }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.scroll { overflow-x: auto; border: 1px solid var(--edge); border-radius: 8px; background: var(--panel); margin: 0 0 14px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; padding: 10px 14px; font-weight: 600; }
th, td { text-align: left; padding: 8px 14px; border-top: 1px solid var(--edge); vertical-align: top; }
thead th { color: var(--muted); font-weight: 500; font-size: 13px; border-top: 0; white-space: nowrap; }
caption + thead th { border-top: 1px solid var(--edge); }
tbody td:last-child { min-width: 230px; } tbody th { font-weight: 600; white-space: nowrap; } .number { text-align: right; font-variant-numeric: tabular-nums; }
.badge { display: inline-block; white-space: nowrap; font-size: 13px; font-weight: 600; padding: 0 9px; border-radius: 10px; background: var(--soft); color: var(--muted); }
.badge.good { background: var(--good-soft); color: var(--good); } .badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 14px; }
figure { margin: 0; min-width: 0; background: var(--panel); border: 1px solid var(--edge); border-radius: 8px; padding: 14px 16px; }
figcaption { font-weight: 600; margin: 0 0 8px; } figcaption + p, figure p { font-size: 13px; color: var(--muted); margin: 8px 0 0; }
svg { display: block; width: 100%; max-width: 620px; height: auto; margin: 0 auto; }
svg text { font: 11.5px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--muted); }
svg .exponent { font-size: 8.5px; } svg .row-name { font-size: 12.5px; font-weight: 600; fill: var(--text); }
.gridline { stroke: var(--edge); stroke-width: 1; } .axis { stroke: var(--muted); stroke-width: 1; }
.bar { fill: var(--accent); } .heat { fill: var(--heat); } .band { fill: var(--soft); } .difference { fill: var(--bad); }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; } .line.series-0 { stroke-width: 5; stroke-linecap: round; }
.line.series-0 { stroke: var(--series-0); } .line.series-1 { stroke: var(--series-1); } .line.series-2 { stroke: var(--series-2); }
.line.series-3 { stroke: var(--series-3); } .line.series-4 { stroke: var(--series-4); } .line.series-5 { stroke: var(--series-5); }
.dot.series-0 { fill: var(--series-0); } .dot.series-1 { fill: var(--series-1); } .dot.series-2 { fill: var(--series-2); }
.dot.series-3 { fill: var(--series-3); } .dot.series-4 { fill: var(--series-4); } .dot.series-5 { fill: var(--series-5); }
.ring { fill: none; stroke: var(--bad); stroke-width: 2; }
.cell-good { fill: var(--good-soft); stroke: var(--good); } .cell-bad { fill: var(--bad-soft); stroke: var(--bad); } .cell-none { fill: var(--soft); stroke: var(--edge); }
svg .cell-word { font-weight: 700; } svg .cell-good-text { fill: var(--good); } svg .cell-bad-text { fill: var(--bad); } svg .cell-title { fill: var(--text); font-size: 10.5px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 8px 0 0; padding: 0; font-size: 13px; }
.legend li::before { content: ""; display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 7px; vertical-align: middle; background: var(--swatch); }
.legend .series-0 { --swatch: var(--series-0); } .legend .series-1 { --swatch: var(--series-1); } .legend .series-2 { --swatch: var(--series-2); }
.legend .series-3 { --swatch: var(--series-3); } .legend .series-4 { --swatch: var(--series-4); } .legend .series-5 { --swatch: var(--series-5); }
.legend .marks { --swatch: var(--bad); }
details { background: var(--panel); border: 1px solid var(--edge); border-radius: 8px; margin: 0 0 8px; }
summary { cursor: pointer; padding: 10px 16px; } summary:hover { background: var(--soft); border-radius: 8px; }
summary .badge { margin-right: 8px; } summary .muted { font-size: 13px; }
details > div { padding: 2px 18px 16px; } details > div > p:last-child { margin: 10px 0 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { color: var(--muted); font-size: 13px; padding-top: 22px; padding-bottom: 34px; }
@media (max-width: 520px) { main, header > div, footer { padding-left: 14px; padding-right: 14px; } h1 { font-size: 21px; }
  .facts, .evidence { grid-template-columns: minmax(0, 1fr); gap: 0; } .facts dd, .evidence dd { margin-bottom: 7px; }
  .command { display: block; margin: 8px 0 0; } .panel { padding: 14px; } figure { padding: 12px 10px; }
  tr { display: grid; grid-template-columns: minmax(0, 1fr) max-content 70px; } th, td { padding: 8px 10px; }
  thead th:last-child { display: none; } tbody td:last-child { grid-column: 1 / -1; min-width: 0; padding-top: 0; border-top: 0; color: var(--muted); } }
)css";

}  // namespace rlverify::report
