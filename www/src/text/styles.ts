// How text of a transcript looks. Colours come from the element around through custom properties and have fallbacks for both
// schemes; `light-dark()` follows the `color-scheme` of the element, so a choice made in the viewer counts more than the system.
// Where it is not known the property is invalid and the colour is the one of the text around.

import { css, type CSSResult } from "lit";

export const textStyles: CSSResult = css`
  :host {
    --t-text: var(--text, light-dark(#1c2024, #e6e8eb));
    --t-quiet: var(--quiet, light-dark(#5c656f, #9ba4ae));
    --t-line: var(--line, light-dark(#dfe3e7, #31373e));
    --t-surface: var(--surface, light-dark(#f6f7f9, #1a1e23));
    --t-accent: var(--accent, light-dark(#0b5fc4, #7ab7ff));
    --t-mono: var(--mono, ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace);
    --t-warn: var(--warn, light-dark(#8a4b00, #f0b35e));

    --hl-keyword: light-dark(#8a2bb5, #d2a6ff);
    --hl-string: light-dark(#0a6b3d, #8fd6a4);
    --hl-number: light-dark(#a3450a, #f2b27d);
    --hl-title: light-dark(#0b57b3, #86bdff);
    --hl-type: light-dark(#00677a, #74d3df);
    --hl-attribute: light-dark(#7d5400, #e5c371);
    --hl-comment: light-dark(#5c656f, #98a2ad);
    --hl-meta: light-dark(#a02c62, #f39bc0);
    --hl-added: light-dark(#0a6b3d, #8fd6a4);
    --hl-added-back: light-dark(#e3f5e9, #15311f);
    --hl-removed: light-dark(#a62222, #ff9f9a);
    --hl-removed-back: light-dark(#fdecec, #3a1a1b);
  }

  /* Running text */

  .md,
  .md-text {
    color: var(--t-text);
    line-height: 1.55;
    overflow-wrap: anywhere;
    min-width: 0;
  }

  .md > :first-child { margin-block-start: 0; }
  .md > :last-child { margin-block-end: 0; }

  .md p { margin-block: 0 0.8em; unicode-bidi: isolate; text-wrap: pretty; }
  .md p.literal { white-space: pre-wrap; }

  .md :is(h3, h4, h5, h6) {
    margin-block: 1.5em 0.5em;
    line-height: 1.3;
    font-weight: 650;
    font-size: 1em;
    letter-spacing: -0.006em;
    text-wrap: balance;
  }
  .md [data-level="1"] { font-size: 1.4em; letter-spacing: -0.015em; }
  .md [data-level="2"] { font-size: 1.2em; letter-spacing: -0.01em; }
  .md [data-level="3"] { font-size: 1.07em; }
  .md :is([data-level="5"], [data-level="6"]) { color: var(--t-quiet); }
  .md :is(h3, h4, h5, h6) + * { margin-block-start: 0; }

  .md :is(ul, ol) { margin-block: 0 0.8em; padding-inline-start: 1.6em; }
  .md li { margin-block: 0.2em; padding-inline-start: 0.15em; }
  .md li::marker { color: var(--t-quiet); font-variant-numeric: tabular-nums; }
  .md li > :is(ul, ol) { margin-block: 0.2em; }
  .md li > p { margin-block-end: 0.4em; }
  .md li.task { list-style: none; margin-inline-start: -1.35em; padding-inline-start: 0; }

  .md blockquote {
    margin: 0 0 0.8em;
    padding-inline: 1em 0;
    border-inline-start: 3px solid var(--t-line);
    color: var(--t-quiet);
  }
  .md blockquote > :last-child { margin-block-end: 0; }
  .md blockquote blockquote { padding-inline-start: 0.7em; }

  .md hr { border: 0; border-block-start: 1px solid var(--t-line); margin-block: 1.4em; }
  .md strong { font-weight: 650; }
  .md del { color: var(--t-quiet); }

  .md a {
    color: var(--t-accent);
    text-decoration: underline;
    text-decoration-thickness: 1px;
    text-decoration-color: color-mix(in srgb, currentcolor 45%, transparent);
    text-underline-offset: 0.2em;
    unicode-bidi: isolate;
    border-radius: 2px;
  }
  .md a:hover { text-decoration-color: currentcolor; }

  :is(.md a, .md .table, .code pre, .copy, .json summary, .json .more, .plain .more):focus-visible {
    outline: 2px solid var(--t-accent);
    outline-offset: 2px;
  }
  :is(.md .table, .code pre):focus-visible { outline-offset: -2px; }

  /* What the viewer says beside the text */

  .host,
  .address {
    font-family: var(--t-mono);
    font-size: 0.78em;
    color: var(--t-quiet);
    border: 1px solid var(--t-line);
    border-radius: 0.4em;
    padding: 0.05em 0.4em;
    background: var(--t-surface);
    box-decoration-break: clone;
    -webkit-box-decoration-break: clone;
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  .address { border-style: dashed; }

  .remote {
    display: inline-flex;
    align-items: baseline;
    flex-wrap: wrap;
    gap: 0.15em 0.5em;
    max-width: 100%;
    box-sizing: border-box;
    padding: 0.3em 0.7em;
    border: 1px dashed color-mix(in srgb, var(--t-quiet) 45%, var(--t-line));
    border-radius: 0.5em;
    background: var(--t-surface);
    font-size: 0.93em;
    unicode-bidi: isolate;
  }
  .remote .alt { color: var(--t-text); unicode-bidi: isolate; overflow-wrap: anywhere; }
  .remote :is(.host, .address) { border: 0; padding: 0; background: none; }

  .ctl {
    font-family: var(--t-mono);
    font-size: 0.76em;
    font-weight: 500;
    font-style: normal;
    line-height: 1;
    color: var(--t-warn);
    border: 1px solid color-mix(in srgb, var(--t-warn) 40%, transparent);
    border-radius: 0.35em;
    padding: 0.05em 0.3em;
    margin-inline: 0.1em;
    vertical-align: 0.08em;
    white-space: normal;
    unicode-bidi: isolate;
    direction: ltr;
    cursor: help;
  }

  /* Code */

  .md :not(pre) > code {
    font-family: var(--t-mono);
    font-size: 0.875em;
    padding: 0.12em 0.35em;
    border-radius: 0.35em;
    background: var(--t-surface);
    box-shadow: inset 0 0 0 1px var(--t-line);
    overflow-wrap: anywhere;
    white-space: break-spaces;
    unicode-bidi: isolate;
    box-decoration-break: clone;
    -webkit-box-decoration-break: clone;
  }
  .md a code { color: inherit; }

  .code {
    margin-block: 0 0.9em;
    border: 1px solid var(--t-line);
    border-radius: 0.6em;
    background: var(--t-surface);
    color: var(--t-text);
    overflow: hidden;
    min-width: 0;
  }
  .code-head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 1em;
    padding: 0.25em 0.4em 0.25em 0.95em;
    border-block-end: 1px solid var(--t-line);
    font-size: 0.8em;
    line-height: 1.55;
    color: var(--t-quiet);
    user-select: none;
    -webkit-user-select: none;
  }
  .language { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 500; }
  .copy {
    flex: none;
    font: inherit;
    color: var(--t-quiet);
    background: none;
    border: 1px solid transparent;
    border-radius: 0.45em;
    padding: 0.15em 0.65em;
    min-block-size: 24px;
    cursor: pointer;
  }
  .copy:hover { color: var(--t-text); border-color: var(--t-line); background: color-mix(in srgb, var(--t-text) 5%, transparent); }

  .code pre {
    margin: 0;
    padding: 0.8em 0.95em;
    overflow-x: auto;
    scrollbar-width: thin;
    scrollbar-color: var(--t-line) transparent;
    font-size: 0.875em;
    line-height: 1.55;
    tab-size: 4;
  }
  .code code { font-family: var(--t-mono); font-size: 1em; white-space: pre; display: block; width: max-content; min-width: 100%; }

  /* A browser makes a pre with dir="auto" plaintext, which takes seconds to lay out for a line of a million letters. */
  .plain {
    unicode-bidi: isolate;
    margin: 0;
    font-family: var(--t-mono);
    font-size: 0.875em;
    line-height: 1.55;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    tab-size: 4;
    color: var(--t-text);
  }

  /* Tables */

  .table {
    margin-block: 0 0.9em;
    overflow-x: auto;
    scrollbar-width: thin;
    scrollbar-color: var(--t-line) transparent;
    border: 1px solid var(--t-line);
    border-radius: 0.6em;
  }
  .table table { border-collapse: collapse; width: 100%; font-size: 0.93em; font-variant-numeric: tabular-nums; }
  .table :is(th, td) {
    padding: 0.45em 0.95em;
    text-align: start;
    vertical-align: top;
    border-block-end: 1px solid var(--t-line);
    overflow-wrap: break-word;
    min-width: 4em;
    max-width: 28em;
  }
  .table :is(.host, .address) { overflow-wrap: normal; }
  .table [align="right"] { text-align: right; }
  .table [align="center"] { text-align: center; }
  .table th { font-weight: 600; color: var(--t-quiet); background: var(--t-surface); white-space: nowrap; }
  .table tbody tr:last-child td { border-block-end: 0; }
  .table thead:last-child th { border-block-end: 0; }

  /* JSON */

  .json {
    font-family: var(--t-mono);
    font-size: 0.875em;
    line-height: 1.55;
    color: var(--t-text);
    overflow-wrap: anywhere;
    min-width: 0;
  }
  .json ul { list-style: none; margin: 0; padding: 0; }
  .json details > ul { margin-inline-start: 0.4em; padding-inline-start: 1.15em; border-inline-start: 1px solid var(--t-line); }
  .json li { padding-block: 0.06em; padding-inline-start: 1.15em; }
  .json > ul > li { padding-inline-start: 0; }
  .json li:has(> details) { padding-inline-start: 0; }
  .json summary { list-style: none; cursor: pointer; position: relative; padding-inline-start: 1.15em; border-radius: 0.3em; }
  .json summary::-webkit-details-marker { display: none; }
  .json summary::before {
    content: "";
    position: absolute;
    inset-inline-start: 0.2em;
    inset-block-start: 0.5em;
    border-block: 0.3em solid transparent;
    border-inline-start: 0.42em solid var(--t-quiet);
  }
  .json details[open] > summary::before { rotate: 90deg; }
  .json summary:hover { background: color-mix(in srgb, var(--t-text) 5%, transparent); }
  .json .key { color: var(--hl-title); unicode-bidi: isolate; }
  .json :is(.colon, .brace, .peek, .size, .range) { color: var(--t-quiet); }
  .json .peek { unicode-bidi: isolate; }
  .json details[open] > summary :is(.peek, .close) { display: none; }
  .json :is(.size, .note) { font-size: 0.86em; margin-inline-start: 0.35em; }
  .json .size { font-family: var(--sans, system-ui, sans-serif); }
  .json .note { color: var(--t-warn); font-family: var(--sans, system-ui, sans-serif); }
  .json .string { color: var(--hl-string); unicode-bidi: isolate; white-space: pre-wrap; }
  .json .string.lines {
    color: var(--t-text);
    margin-block: 0.25em 0.35em;
    padding: 0.45em 0.8em;
    background: var(--t-surface);
    border: 1px solid var(--t-line);
    border-radius: 0.5em;
    max-block-size: 30em;
    overflow-y: auto;
    scrollbar-width: thin;
  }
  .json .number { color: var(--hl-number); }
  .json .word { color: var(--hl-keyword); }
  .json .deep { color: var(--t-quiet); white-space: pre-wrap; }
  .more {
    font: 0.86em/1.55 var(--sans, system-ui, sans-serif);
    margin-inline-start: 0.5em;
    padding: 0.1em 0.6em;
    min-block-size: 24px;
    color: var(--t-accent);
    background: none;
    border: 1px solid var(--t-line);
    border-radius: 0.45em;
    cursor: pointer;
  }
  .more:hover { border-color: currentcolor; }

  /* Words of code */

  .hljs-comment, .hljs-quote { color: var(--hl-comment); font-style: italic; }
  .hljs-keyword, .hljs-selector-tag, .hljs-doctag, .hljs-literal, .hljs-name, .hljs-template-tag { color: var(--hl-keyword); }
  .hljs-string, .hljs-regexp, .hljs-char, .hljs-link, .hljs-code { color: var(--hl-string); }
  .hljs-number, .hljs-symbol, .hljs-bullet, .hljs-selector-pseudo { color: var(--hl-number); }
  .hljs-title, .hljs-section, .hljs-selector-id, .hljs-selector-class { color: var(--hl-title); }
  .hljs-type, .hljs-built_in, .hljs-class, .hljs-variable, .hljs-template-variable { color: var(--hl-type); }
  .hljs-attr, .hljs-attribute, .hljs-property, .hljs-selector-attr { color: var(--hl-attribute); }
  .hljs-meta, .hljs-tag .hljs-punctuation { color: var(--hl-meta); }
  .hljs-addition, .hljs-deletion { display: inline-block; min-width: 100%; }
  .hljs-addition { color: var(--hl-added); background: var(--hl-added-back); }
  .hljs-deletion { color: var(--hl-removed); background: var(--hl-removed-back); }
  .hljs-emphasis { font-style: italic; }
  .hljs-strong { font-weight: 650; }
  .hljs-subst, .hljs-params, .hljs-operator, .hljs-punctuation { color: inherit; }

  @media (forced-colors: active) {
    .ctl, .host, .address, .remote { border-color: currentcolor; }
  }
`;
