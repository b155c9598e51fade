// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The project and the story of garden-planner.jsonl. Everything here is invented.

const CROPS = [
  ['bean', 'Bush bean', 2, 9, 10, 'legume'], ['beet', 'Beetroot', -2, 10, 10, 'goosefoot'], ['carrot', 'Carrot', -3, 12, 5, 'umbel'],
  ['chard', 'Chard', -1, 9, 25, 'goosefoot'], ['kale', 'Kale', 4, 14, 45, 'cabbage'], ['leek', 'Leek', -4, 22, 12, 'onion'],
  ['lettuce', 'Lettuce', -4, 8, 25, 'daisy'], ['onion', 'Onion', -5, 20, 10, 'onion'], ['pea', 'Pea', -6, 12, 5, 'legume'],
  ['potato', 'Potato', -1, 15, 30, 'nightshade'], ['pumpkin', 'Pumpkin', 2, 16, 100, 'gourd'], ['radish', 'Radish', -4, 5, 4, 'cabbage'],
  ['spinach', 'Spinach', -6, 7, 8, 'goosefoot'], ['tomato', 'Tomato', 2, 14, 50, 'nightshade'],
].map(([id, name, sow, harvest, spacing, family]) => ({ id, name, sow, harvest, spacing, family }));
const cropsJson = `[\n${CROPS.map((c) => `  ${JSON.stringify(c)}`).join(',\n')}\n]\n`;

const BEDS = [
  ['North long', 1.2, 6, ['carrot', 'onion', 'leek', 'radish'], 'umbel'], ['North short', 1.2, 3, ['lettuce', 'spinach'], 'daisy'],
  ['Middle', 1, 5, ['bean', 'pea', 'beet'], 'goosefoot'], ['South wall', 0.8, 4, ['tomato'], 'nightshade'],
  ['Compost side', 2, 2, ['pumpkin', 'kale'], 'gourd'], ['Street', 1.5, 4, ['potato', 'chard'], 'cabbage'],
].map(([name, width, length, crops, family]) => ({ name, width, length, crops, history: [{ yearsAgo: 1, family }] }));
const bedLine = (b) => `  ${JSON.stringify(b)}`;
const bedsJson = `[\n${BEDS.map(bedLine).join(',\n')}\n]\n`;

export const FILES = {
  'package.json': `{
  "name": "garden-planner",
  "version": "0.4.0",
  "private": true,
  "type": "module",
  "bin": { "garden-planner": "src/cli.js" },
  "scripts": { "start": "node src/server.js", "test": "node --test" }
}
`,
  'CLAUDE.md': `# garden-planner

Turns a list of beds and crops into a sowing calendar: a command line tool and a small web view.

- Node 18, plain JavaScript, no dependencies. What we borrowed is in vendor/.
- Tests: npm test. One test file per module.
- Dates are UTC everywhere.
`,
  'README.md': `# garden-planner

    garden-planner --year 2027 --zone valley --format csv --out plan.csv

Zones: coast, valley, hills. Formats: csv, html, json.
`,
  'data/crops.json': cropsJson,
  'data/beds.json': bedsJson,
  'vendor/tinytable.js': `// tinytable 1.1, kept as it came
export function table(rows, widths) {
  return rows.map((row) => row.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd()).join('\\n');
}
`,
  'src/dates.js': `const DAY = 86400000;

export function fromDayOfYear(year, day) {
  return new Date(Date.UTC(year, 0, day));
}

export function addWeeks(date, weeks) {
  return new Date(date.getTime() + weeks * 7 * DAY);
}

export function isoDate(date) {
  return date.toISOString().slice(0, 10);
}
`,
  'src/frost.js': `import { fromDayOfYear } from './dates.js';

// day of the year of the last frost in spring and of the first one in autumn
const ZONES = {
  coast: { last: 91, first: 319 },
  valley: { last: 115, first: 288 },
  hills: { last: 135, first: 273 },
};

export function lastFrost(year, zone) {
  return fromDayOfYear(year, entry(zone).last);
}

export function firstFrost(year, zone) {
  return fromDayOfYear(year, entry(zone).first);
}

function entry(zone) {
  if (!Object.hasOwn(ZONES, zone)) throw new RangeError(\`unknown zone: \${zone}\`);
  return ZONES[zone];
}
`,
  'src/crops.js': `import { readFileSync } from 'node:fs';

const crops = JSON.parse(readFileSync(new URL('../data/crops.json', import.meta.url), 'utf8'));

export function allCrops() {
  return crops;
}

export function cropById(id) {
  return crops.find((crop) => crop.id === id);
}
`,
  'src/beds.js': `export function plantsPerBed(bed, crop) {
  const across = Math.floor((bed.width * 100) / crop.spacing);
  const along = Math.floor((bed.length * 100) / crop.spacing);
  return across * along;
}

export function rotationConflict(bed, crop) {
  return bed.history.some((entry) => entry.family === crop.family && entry.yearsAgo < 3);
}
`,
  'src/plan.js': `import { addWeeks, isoDate } from './dates.js';
import { lastFrost } from './frost.js';
import { cropById } from './crops.js';
import { plantsPerBed, rotationConflict } from './beds.js';

export function buildPlan({ year, zone, beds }) {
  const frost = lastFrost(year, zone);
  const rows = [];
  for (const bed of beds) {
    for (const id of bed.crops) {
      const crop = cropById(id);
      if (!crop) throw new RangeError(\`unknown crop: \${id}\`);
      const sow = addWeeks(frost, crop.sow);
      rows.push({
        bed: bed.name,
        crop: crop.name,
        sowDate: isoDate(sow),
        harvestDate: isoDate(addWeeks(sow, crop.harvest)),
        plants: plantsPerBed(bed, crop),
        warnings: rotationConflict(bed, crop) ? ['rotation'] : [],
      });
    }
  }
  return rows.sort((a, b) => a.sowDate.localeCompare(b.sowDate));
}
`,
  'src/export/csv.js': `const COLUMNS = ['bed', 'crop', 'sowDate', 'harvestDate', 'plants'];

export function toCsv(rows) {
  const lines = [COLUMNS.join(',')];
  for (const row of rows) lines.push(COLUMNS.map((name) => quote(row[name])).join(','));
  return lines.join('\\r\\n') + '\\r\\n';
}

function quote(value) {
  const text = String(value);
  return /[",\\r\\n]/.test(text) ? \`"\${text.replaceAll('"', '""')}"\` : text;
}
`,
  'src/export/html.js': `export function toHtml(rows) {
  const body = rows.map((row) => \`<tr><td>\${escape(row.bed)}</td><td>\${escape(row.crop)}</td><td>\${row.sowDate}</td></tr>\`);
  return \`<table>\\n\${body.join('\\n')}\\n</table>\\n\`;
}

export function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
`,
  'src/cli.js': `#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildPlan } from './plan.js';
import { toCsv } from './export/csv.js';
import { toHtml } from './export/html.js';

const FORMATS = {
  csv: toCsv,
  html: toHtml,
  json: (rows) => JSON.stringify(rows, null, 2) + '\\n',
};

const { values } = parseArgs({
  options: {
    year: { type: 'string' },
    zone: { type: 'string', default: 'valley' },
    format: { type: 'string', default: 'csv' },
    beds: { type: 'string', default: new URL('../data/beds.json', import.meta.url).pathname },
    out: { type: 'string' },
  },
});

const beds = JSON.parse(readFileSync(values.beds, 'utf8'));
const rows = buildPlan({ year: Number(values.year), zone: values.zone, beds });
const text = FORMATS[values.format](rows);
if (values.out) writeFileSync(values.out, text);
else process.stdout.write(text);
`,
  'src/server.js': `import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { buildPlan } from './plan.js';

const beds = JSON.parse(readFileSync(new URL('../data/beds.json', import.meta.url), 'utf8'));

export function handle(request) {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/plan') {
    const year = Number(url.searchParams.get('year'));
    return { type: 'application/json', body: JSON.stringify(buildPlan({ year, zone: 'valley', beds })) };
  }
  return { type: 'text/html', body: readFileSync(new URL('../web/index.html', import.meta.url), 'utf8') };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  createServer((request, response) => {
    const { type, body } = handle(request);
    response.setHeader('content-type', type).end(body);
  }).listen(8080);
}
`,
  'web/index.html': `<!doctype html>
<meta charset="utf-8">
<title>Garden planner</title>
<div id="year">2027</div>
<div id="plan"></div>
<script type="module" src="app.js"></script>
`,
  'web/app.js': `const year = document.querySelector('#year').textContent;
const response = await fetch(\`/plan?year=\${year}\`);
const rows = await response.json();
document.querySelector('#plan').innerHTML = rows.map((row) => \`<p>\${row.sowDate} \${row.crop}</p>\`).join('');
`,
  'test/dates.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { addWeeks, fromDayOfYear, isoDate } from '../src/dates.js';

test('weeks are added across a month', () => {
  assert.equal(isoDate(addWeeks(fromDayOfYear(2027, 115), 2)), '2027-05-09');
});

test('weeks can be negative', () => {
  assert.equal(isoDate(addWeeks(fromDayOfYear(2027, 115), -3)), '2027-04-04');
});
`,
  'test/frost.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { firstFrost, lastFrost } from '../src/frost.js';
import { isoDate } from '../src/dates.js';

test('last frost of the valley', () => {
  assert.equal(isoDate(lastFrost(2027, 'valley')), '2027-04-25');
});

test('first frost of the hills', () => {
  assert.equal(isoDate(firstFrost(2027, 'hills')), '2027-09-30');
});

test('an unknown zone is refused', () => {
  assert.throws(() => lastFrost(2027, 'moon'), RangeError);
});
`,
  'test/beds.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { plantsPerBed, rotationConflict } from '../src/beds.js';

const bed = { name: 'Test', width: 1, length: 2, history: [{ yearsAgo: 1, family: 'legume' }] };

test('plants per bed', () => {
  assert.equal(plantsPerBed(bed, { spacing: 25 }), 32);
});

test('rotation looks at the family', () => {
  assert.equal(rotationConflict(bed, { family: 'legume' }), true);
  assert.equal(rotationConflict(bed, { family: 'onion' }), false);
});
`,
  'test/plan.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { buildPlan } from '../src/plan.js';

const beds = [{ name: 'A', width: 1, length: 1, crops: ['tomato', 'pea'], history: [] }];

test('rows are in order of sowing', () => {
  const rows = buildPlan({ year: 2027, zone: 'valley', beds });
  assert.deepEqual(rows.map((row) => row.crop), ['Pea', 'Tomato']);
});

test('an unknown crop is refused', () => {
  assert.throws(() => buildPlan({ year: 2027, zone: 'valley', beds: [{ ...beds[0], crops: ['banana'] }] }), RangeError);
});
`,
  'test/export.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { toCsv } from '../src/export/csv.js';
import { toHtml } from '../src/export/html.js';

const rows = [{ bed: 'A, left', crop: 'Pea', sowDate: '2027-03-14', harvestDate: '2027-06-06', plants: 400, warnings: [] }];

test('csv quotes commas', () => {
  assert.match(toCsv(rows), /"A, left",Pea,2027-03-14,/);
});

test('html escapes markup', () => {
  assert.match(toHtml([{ ...rows[0], bed: '<b>' }]), /&lt;b>/);
});
`,
};

// ------------------------------------------------------------------------------- what the program prints, worked out

const DAY = 86400000;
const iso = (d) => new Date(d).toISOString().slice(0, 10);
function planRows(s, year, monthDay, sowKey) {
  const [m, d] = monthDay.split('-').map(Number);
  const frost = Date.UTC(year, m - 1, d);
  const crops = JSON.parse(s.fs.get('data/crops.json'));
  const rows = [];
  for (const bed of JSON.parse(s.fs.get('data/beds.json'))) {
    for (const id of bed.crops) {
      const crop = crops.find((c) => c.id === id);
      const sow = frost + crop.sow * 7 * DAY;
      const width = bed.width - (bed.path ?? 0);
      rows.push({
        bed: bed.name, ...(sowKey === 'sowOn' ? { id } : {}), crop: crop.name, [sowKey]: iso(sow), harvestDate: iso(sow + crop.harvest * 7 * DAY),
        plants: Math.floor((width * 100) / crop.spacing) * Math.floor((bed.length * 100) / crop.spacing),
        warnings: bed.history.some((h) => h.family === crop.family && h.yearsAgo < 3) ? ['rotation'] : [],
      });
    }
  }
  return rows.sort((a, b) => a[sowKey].localeCompare(b[sowKey]));
}
function csvText(rows, sowKey) {
  return ['bed,crop,sowDate,harvestDate,plants', ...rows.map((r) => [r.bed, r.crop, r[sowKey], r.harvestDate, r.plants].join(','))].join('\n');
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFUlEQVR4nGOIWuC2atUqBiBVEaABACmUBW+QKI+rAAAAAElFTkSuQmCC';

const equal = (actual, expected) => `AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n+ actual - expected\n\n+ '${actual}'\n- '${expected}'`;

// -------------------------------------------------------------------------------------------------------------- story

export function tell(s, t) {
  const go = (think, say, ...calls) => s.turn({ think: think || undefined, say: say || undefined, calls });
  const done = (say, think) => {
    s.turn({ think, say });
    s.rest();
  };

  s.title('Calendar export and year overview for the garden planner', '00000000-0000-4000-8000-000000000000');
  s.hookProgress('SessionStart', 'SessionStart:startup', 'npm run --silent hooks:start');
  calendar(s, t, go, done);
  bedsWithPath(s, t, go, done);
  overviewBegins(s, t, go);
  s.compact(SUMMARY);
  overviewEnds(s, t, go, done);
  leapYear(s, t, go, done);
  german(s, t, go, done);
  lookup(s, t, go, done);
  accessibility(s, t, go, done);
  rename(s, t, go, done);
  companions(s, t, go, done);
  sensors(s, t, go, done);
  japanese(s, t, go, done);
  vendorTable(s, t, go, done);
  types(s, t, go, done);
  printView(s, t, go, done);
  const leaf = s.parent;
  s.lines[0].leafUuid = s.lines.find((l) => l.isCompactSummary).uuid;
  s.title('Garden planner: print view, one bed a page', leaf);
}

// 1 ------------------------------------------------------------------------------------------------------------------

function calendar(s, t, go, done) {
  s.user('Please add an .ics export, so that I can see the sowing dates in my calendar. Three rules for this repository, also for everything later: never touch files in vendor/, always run npm test before committing, and keep the CLI flags unchanged – other scripts call them.');
  go('A new export format. I should see the layout first, then how the other formats are wired into the command line. The rules: vendor/ is off limits, tests before every commit, no change of flags. A new value for --format is not a new flag.',
    'I will look at the layout first.', t.glob('src/**/*.js'), t.read('package.json'), t.read('CLAUDE.md'));
  go('', '', t.read('src/plan.js'), t.read('src/export/csv.js'), t.read('src/cli.js'));
  go('', '', t.todo('> Write src/export/ics.js', '  Add ics to the formats of the command line', '  Test the export', '  Commit on a branch'));
  go('', '', t.grep('toCsv|toHtml'));
  go('', '', t.read('test/export.test.js'), t.branch('feature/ics-export'));
  go('One VEVENT for each row. The format wants CRLF, an UID that stays the same over repeated exports, and lines of at most 75 octets. I will make the UID from bed, crop and date.',
    'The rows already carry everything an event needs. I write the exporter.',
    t.write('src/export/ics.js', `export function toIcs(rows) {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//garden-planner//EN'];
  for (const row of rows) {
    lines.push(
      'BEGIN:VEVENT',
      \`UID:\${slug(row.bed)}-\${slug(row.crop)}-\${row.sowDate}@garden.example.invalid\`,
      \`DTSTAMP:\${row.sowDate.replaceAll('-', '')}T000000Z\`,
      \`DTSTART;VALUE=DATE:\${row.sowDate.replaceAll('-', '')}\`,
      \`SUMMARY:Sow \${text(row.crop)} in \${text(row.bed)}\`,
      'END:VEVENT',
    );
  }
  lines.push('END:VCALENDAR');
  return lines.map(fold).join('\\r\\n') + '\\r\\n';
}

function slug(value) {
  return value.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function text(value) {
  return value.replace(/[\\\\,;]/g, (c) => \`\\\\\${c}\`);
}

/** No line is longer than 75. */
function fold(line) {
  return line.replace(/(.{75})(?=.)/g, '$1\\r\\n ');
}
`));
  go('', '', t.edit('src/cli.js', "import { toHtml } from './export/html.js';", "import { toHtml } from './export/html.js';\nimport { toIcs } from './export/ics.js';"));
  go('', '', t.edit('src/cli.js', '  html: toHtml,\n', '  html: toHtml,\n  ics: toIcs,\n'), t.edit('test/export.test.js', "import { toHtml } from '../src/export/html.js';", "import { toHtml } from '../src/export/html.js';\nimport { toIcs } from '../src/export/ics.js';"));
  go('', '', t.edit('test/export.test.js', "test('html escapes markup', () => {", `test('ics escapes commas', () => {
  assert.match(toIcs(rows), /SUMMARY:Sow Pea in A\\\\, left/);
});

test('ics keeps lines within 75 octets', () => {
  const long = toIcs([{ ...rows[0], bed: 'Höhenbeet '.repeat(12).trim() }]);
  for (const line of long.split('\\r\\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
});

test('html escapes markup', () => {`));
  go('', '', t.test({ 'ics keeps lines within 75 octets': "AssertionError [ERR_ASSERTION]: SUMMARY:Sow Pea in Höhenbeet Höhenbeet Höhenbeet Höhenbeet Höhenbeet Höhenbee\n    at TestContext.<anonymous> (file:///home/user/garden-planner/test/export.test.js:21:48)" }));
  go('75 octets, not 75 characters: ö takes two. And a continuation begins with a space, which counts too. So I have to walk over the characters and count bytes.',
    'The limit is in octets, and I counted characters. I fold by bytes, never inside a character.',
    t.edit('src/export/ics.js', `/** No line is longer than 75. */
function fold(line) {
  return line.replace(/(.{75})(?=.)/g, '$1\\r\\n ');
}`, `/** No line is longer than 75 octets, and no character is cut. */
function fold(line) {
  let out = '';
  let size = 0;
  for (const ch of line) {
    const bytes = Buffer.byteLength(ch);
    if (size + bytes > 75) {
      out += '\\r\\n ';
      size = 1;
    }
    out += ch;
    size += bytes;
  }
  return out;
}`));
  go('', '', t.test());
  go('', '', t.todo('x Write src/export/ics.js', 'x Add ics to the formats of the command line', 'x Test the export', '> Commit on a branch'), t.commit('Add calendar export'));
  done('`--format ics` now writes a calendar: one all-day event for each sowing, with UIDs that stay the same when you export again. No flag has changed; `ics` is a new value of `--format`. All tests pass, and it is committed on `feature/ics-export`.');
}

// 2 ------------------------------------------------------------------------------------------------------------------

function bedsWithPath(s, t, go, done) {
  s.user([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { type: 'text', text: 'This is a sketch of the compost side bed: the grey strip is a path of 40 cm through the middle. The plan counts plants on the path, too. Can a bed have a path?' },
  ]);
  go('The path takes width away. plantsPerBed uses the whole width. A field "path" in metres, like width.', '', t.read('src/beds.js'), t.read('test/beds.test.js'), t.read('data/beds.json'));
  go('', 'A bed gets an optional `path` in metres, taken off its width.', t.edit('src/beds.js', '  const across = Math.floor((bed.width * 100) / crop.spacing);', '  const across = Math.floor(((bed.width - (bed.path ?? 0)) * 100) / crop.spacing);'));
  go('', '', t.edit('test/beds.test.js', "test('rotation looks at the family'", `test('nothing grows on the path', () => {
  assert.equal(plantsPerBed({ ...bed, path: 0.5 }, { spacing: 25 }), 16);
});

test('rotation looks at the family'`), t.edit('data/beds.json', '{"name":"Compost side","width":2,"length":2,', '{"name":"Compost side","width":2,"path":0.4,"length":2,'));
  go('', '', t.test());
  go('', '', t.bash('node src/cli.js --year 2027 --format csv', 'Look at the plan', (x) => csvText(planRows(x, 2027, '04-25', 'sowDate'), 'sowDate')));
  go('', '', t.commit('Leave out the path when counting plants'));
  done('Beds can have a `path` now (metres, taken off the width). "Compost side" has 0.4: one row of pumpkins instead of two. 🎃 Tests pass; committed.');

  s.localCommand('cost', 'Total cost: 0.41 (invented figure)');
  s.user('Now colour the beds in the web view by plant family.');
  go('', 'I look at the web view.', t.read('web/app.js'), t.read('web/index.html'));
  s.interrupted();
}

// 3 ------------------------------------------------------------------------------------------------------------------

function overviewBegins(s, t, go) {
  s.user('Stop, the colours can wait. First I want an overview of the year in the terminal: one line for each month with what is sown. As another value of --format, please.');
  go('A new format "overview". It needs only rows. Twelve lines, months without sowing stay empty.', 'Understood: no colours for now. An overview as a format of its own.',
    t.todo('> Write src/overview.js', '  Add overview to the formats', '  Test it', '  Commit'));
  go('', '', t.write('src/overview.js', `const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** One line for each month: what is sown. */
export function toOverview(rows) {
  const lines = MONTHS.map((name, month) => {
    const crops = rows.filter((row) => Number(row.sowDate.slice(5, 7)) === month + 1).map((row) => row.crop);
    return \`\${name} \${crops.join(', ')}\`.trimEnd();
  });
  return lines.join('\\n') + '\\n';
}
`), t.read('src/cli.js'));
  go('', '', t.edit('src/cli.js', "import { toIcs } from './export/ics.js';", "import { toIcs } from './export/ics.js';\nimport { toOverview } from './overview.js';"));
  go('', '', t.edit('src/cli.js', '  ics: toIcs,\n', '  ics: toIcs,\n  overview: toOverview,\n'));
}

const SUMMARY = `This session continues an earlier one whose window was full. What happened so far:

1. Request: an .ics export. Done: src/export/ics.js, \`ics\` as a value of --format, lines folded at 75 octets (a first version counted characters; the test with umlauts caught it). Committed on feature/ics-export.
2. Request (with a sketch): beds with a path. Done: optional \`path\` in metres in data/beds.json and src/beds.js. Committed.
3. Colours in the web view were asked for and then put off by the user. Nothing was changed.
4. Request: an overview of the year in the terminal as another value of --format. src/overview.js is written and src/cli.js knows it; the tests for it and the commit are missing.

Standing rules of the user:
- never touch files in vendor/
- always run npm test before committing
- keep the CLI flags unchanged (new values of --format are fine)

Project: /home/user/garden-planner, Node 18, no dependencies, one test file per module, dates in UTC.

Next: write test/overview.test.js, run npm test, commit.`;

function overviewEnds(s, t, go, done) {
  s.hookProgress('SessionStart', 'SessionStart:compact', 'npm run --silent hooks:start');
  go('I was about to test the overview. I read it again before I write the test.', 'I go on with the tests for the overview.', t.read('src/overview.js'), t.read('src/cli.js'), t.read('test/plan.test.js'));
  go('', '', t.write('test/overview.test.js', `import test from 'node:test';
import assert from 'node:assert/strict';
import { toOverview } from '../src/overview.js';

const rows = [
  { crop: 'Pea', sowDate: '2027-03-14' },
  { crop: 'Spinach', sowDate: '2027-03-14' },
  { crop: 'Tomato', sowDate: '2027-05-09' },
];

test('overview has a line for every month', () => {
  assert.equal(toOverview(rows).trimEnd().split('\\n').length, 12);
});

test('overview lists crops in their month', () => {
  assert.match(toOverview(rows), /^Mar Pea, Spinach$/m);
  assert.match(toOverview(rows), /^May Tomato$/m);
  assert.match(toOverview(rows), /^Jun$/m);
});
`));
  go('', '', t.test());
  go('', '', t.todo('x Write src/overview.js', 'x Add overview to the formats', 'x Test it', '> Commit'), t.commit('Add overview of the year'));
  done('`--format overview` prints twelve lines, one a month. Tests pass; committed.');
}

// 4 ------------------------------------------------------------------------------------------------------------------

function leapYear(s, t, go, done) {
  s.user('Something is wrong with 2028: the plan says tomatoes on 8 May, but for 2027 it says 9 May. The frost date has not moved. Find out why, do not just shift the date.');
  go('A day off in 2028. 2028 is a leap year. Candidates: time zone (no, all UTC), addWeeks (pure milliseconds), fromDayOfYear(115): day 115 of a leap year is 24 April instead of 25. That would be it, but I should see it before I believe it.',
    'I reproduce it before I touch anything.',
    t.bash('for y in 2026 2027 2028 2029; do node src/cli.js --year $y --format csv | grep Tomato; done', 'Compare four years', 'South wall,Tomato,2026-05-09,2026-08-15,8\nSouth wall,Tomato,2027-05-09,2027-08-15,8\nSouth wall,Tomato,2028-05-08,2028-08-14,8\nSouth wall,Tomato,2029-05-09,2029-08-15,8'));
  go('', 'Only the leap year differs. Is it the same in winter, before 29 February?', t.read('src/dates.js'), t.read('src/frost.js'), t.read('test/dates.test.js'), t.read('test/frost.test.js'));
  go('', '', t.bash("TZ=Asia/Tokyo node src/cli.js --year 2028 --format csv | grep Tomato; TZ=America/Lima node src/cli.js --year 2028 --format csv | grep Tomato", 'Rule out the time zone', 'South wall,Tomato,2028-05-08,2028-08-14,8\nSouth wall,Tomato,2028-05-08,2028-08-14,8'));
  go('', 'Not the time zone. I ask the frost table itself.', t.bash(`node -e "import('./src/frost.js').then(f => { for (const y of [2027, 2028]) for (const z of ['coast', 'valley', 'hills']) console.log(y, z, f.lastFrost(y, z).toISOString().slice(0, 10), f.firstFrost(y, z).toISOString().slice(0, 10)) })"`, 'Print the frost dates',
    '2027 coast 2027-04-01 2027-11-15\n2027 valley 2027-04-25 2027-10-15\n2027 hills 2027-05-15 2027-09-30\n2028 coast 2028-03-31 2028-11-14\n2028 valley 2028-04-24 2028-10-14\n2028 hills 2028-05-14 2028-09-29'));
  go('Confirmed: the table holds days of the year, counted in a common year. After 29 February everything is a day early in leap years. Fix: store month and day. fromDayOfYear is then only used by tests; check with grep.',
    'That is the cause: the table stores the *day of the year* as counted in a common year, and after 29 February a leap year is one ahead. All zones are hit, spring and autumn. First a test that fails:',
    t.edit('test/frost.test.js', "test('an unknown zone is refused'", `test('a leap year does not move the frost', () => {
  assert.equal(isoDate(lastFrost(2028, 'valley')), '2028-04-25');
  assert.equal(isoDate(firstFrost(2028, 'coast')), '2028-11-15');
});

test('an unknown zone is refused'`, { flip: true }));
  go('', '', t.test({ 'a leap year does not move the frost': equal('2028-04-24', '2028-04-25') }, { only: 'test/frost.test.js' }));
  go('', 'It fails as expected. Who else uses `fromDayOfYear`?', t.grep('fromDayOfYear'));
  go('', '', t.edit('src/dates.js', `export function fromDayOfYear(year, day) {
  return new Date(Date.UTC(year, 0, day));
}`, `/** monthDay as in '04-25'. */
export function fromMonthDay(year, monthDay) {
  const [month, day] = monthDay.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day));
}`));
  go('', '', t.edit('src/frost.js', `import { fromDayOfYear } from './dates.js';

// day of the year of the last frost in spring and of the first one in autumn
const ZONES = {
  coast: { last: 91, first: 319 },
  valley: { last: 115, first: 288 },
  hills: { last: 135, first: 273 },
};`, `import { fromMonthDay } from './dates.js';

// month and day of the last frost in spring and of the first one in autumn; not days of the year, which leap years move
const ZONES = {
  coast: { last: '04-01', first: '11-15' },
  valley: { last: '04-25', first: '10-15' },
  hills: { last: '05-15', first: '09-30' },
};`));
  go('', '', t.edit('src/frost.js', 'fromDayOfYear', 'fromMonthDay'));
  go('', 'Two places, so I replace both.', t.edit('src/frost.js', 'fromDayOfYear', 'fromMonthDay', { all: true }));
  go('', '', t.test({ 'weeks are added across a month': "SyntaxError: The requested module '../src/dates.js' does not provide an export named 'fromDayOfYear'", 'weeks can be negative': "SyntaxError: The requested module '../src/dates.js' does not provide an export named 'fromDayOfYear'" }));
  go('', 'The old tests of `dates.js` still use the old function.', t.edit('test/dates.test.js', 'fromDayOfYear, isoDate', 'fromMonthDay, isoDate'), t.edit('test/dates.test.js', 'fromDayOfYear(2027, 115)', "fromMonthDay(2027, '04-25')", { all: true }));
  go('', '', t.test());
  go('', '', t.bash('for y in 2026 2027 2028 2029; do node src/cli.js --year $y --format csv | grep Tomato; done', 'Compare the four years again', 'South wall,Tomato,2026-05-09,2026-08-15,8\nSouth wall,Tomato,2027-05-09,2027-08-15,8\nSouth wall,Tomato,2028-05-09,2028-08-15,8\nSouth wall,Tomato,2029-05-09,2029-08-15,8'));
  go('', '', t.commit('Keep frost dates in leap years'));
  done('The frost table held days of the year counted in a common year, so in 2028 everything after February came a day early, in all three zones, in spring and in autumn. The table now holds month and day (`04-25`). A test for 2028 failed before and passes now; nothing is shifted by hand. Committed.', 'Say the cause, the fix and the evidence.');
}

// 5 ------------------------------------------------------------------------------------------------------------------

function german(s, t, go, done) {
  s.user('Meine Nachbarin möchte die Übersicht auf Deutsch: Monatsnamen und Gemüse. Bitte so, dass später weitere Sprachen dazukommen können. Aber keine neue Option auf der Kommandozeile – nimm die Umgebungsvariable GARDEN_LANG.');
  go('Deutsch; keine neue Option (passt zur Regel über die Flags), stattdessen GARDEN_LANG. Dateien: locales/en.json, locales/de.json, src/i18n.js. Die Namen des Gemüses stehen in data/crops.json auf Englisch; die Übersetzung gehört in die Sprachdatei, nach id.',
    'Verstanden: Sprachdateien je Sprache, ausgewählt über `GARDEN_LANG`, keine neue Option.',
    t.todo('> locales/en.json und locales/de.json anlegen', '  src/i18n.js schreiben', '  Übersicht umstellen', '  Tests'), t.read('src/overview.js'), t.read('data/crops.json'));
  const names = { de: ['Buschbohne', 'Rote Bete', 'Möhre', 'Mangold', 'Grünkohl', 'Lauch', 'Kopfsalat', 'Zwiebel', 'Erbse', 'Kartoffel', 'Kürbis', 'Radieschen', 'Spinat', 'Tomate'] };
  const locale = (months, list) => `{\n  "months": ${JSON.stringify(months)},\n  "crops": {\n${CROPS.map((c, n) => `    "${c.id}": "${list[n]}"`).join(',\n')}\n  }\n}\n`;
  go('', '', t.write('locales/en.json', locale(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'], CROPS.map((c) => c.name))),
    t.write('locales/de.json', locale(['Jan', 'Feb', 'Mär', 'Apr', 'Mai', 'Jun', 'Jul', 'Aug', 'Sep', 'Okt', 'Nov', 'Dez'], names.de)));
  go('', '', t.write('src/i18n.js', `import { existsSync, readFileSync } from 'node:fs';

const file = (lang) => new URL(\`../locales/\${lang}.json\`, import.meta.url);

/** The words of a language; English where it is not known. */
export function words(lang = process.env.GARDEN_LANG ?? 'en') {
  const known = /^[a-z]{2}$/.test(lang) && existsSync(file(lang));
  return JSON.parse(readFileSync(file(known ? lang : 'en'), 'utf8'));
}
`));
  go('Die Zeilen tragen nur den Namen des Gemüses, nicht die id. Ich brauche die id in den Zeilen, sonst müsste ich über den englischen Namen suchen.', 'Die Zeilen brauchen die `id`, damit sich der Name übersetzen lässt.', t.read('src/plan.js'));
  go('', '', t.edit('src/plan.js', '        crop: crop.name,\n', '        id,\n        crop: crop.name,\n'));
  go('', '', t.edit('src/overview.js', `const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** One line for each month: what is sown. */
export function toOverview(rows) {
  const lines = MONTHS.map((name, month) => {
    const crops = rows.filter((row) => Number(row.sowDate.slice(5, 7)) === month + 1).map((row) => row.crop);`, `import { words } from './i18n.js';

/** One line for each month: what is sown. */
export function toOverview(rows, { months, crops: names } = words()) {
  const lines = months.map((name, month) => {
    const crops = rows.filter((row) => Number(row.sowDate.slice(5, 7)) === month + 1).map((row) => names[row.id] ?? row.crop);`));
  go('', '', t.read('test/overview.test.js'));
  go('', '', t.edit('test/overview.test.js', "import { toOverview } from '../src/overview.js';", "import { toOverview } from '../src/overview.js';\nimport { words } from '../src/i18n.js';"),
    t.edit('test/overview.test.js', "  { crop: 'Tomato', sowDate: '2027-05-09' },\n];\n", `  { id: 'tomato', crop: 'Tomato', sowDate: '2027-05-09' },
];

test('overview in German', () => {
  assert.match(toOverview(rows, words('de')), /^Mai Tomate$/m);
});

test('every language knows every crop', () => {
  for (const lang of ['de']) assert.deepEqual(Object.keys(words(lang).crops), Object.keys(words('en').crops));
});

test('an unknown language is English', () => {
  assert.deepEqual(words('xx'), words('en'));
  assert.deepEqual(words('../de'), words('en'));
});
`));
  go('', '', t.test());
  go('', '', t.bash('GARDEN_LANG=de node src/cli.js --year 2027 --format overview', 'Auf Deutsch ansehen', 'Jan\nFeb\nMär Spinat, Erbse, Zwiebel, Lauch, Radieschen, Kopfsalat\nApr Möhre, Rote Bete, Kartoffel, Mangold\nMai Buschbohne, Tomate, Kürbis, Grünkohl\nJun\nJul\nAug\nSep\nOkt\nNov\nDez'));
  go('', '', t.commit('Add languages, German first'), t.todo('x locales/en.json und locales/de.json anlegen', 'x src/i18n.js schreiben', 'x Übersicht umstellen', 'x Tests'));
  done('Fertig: `GARDEN_LANG=de garden-planner --format overview …` gibt Monate und Gemüse auf Deutsch aus. Eine weitere Sprache ist eine Datei in `locales/`; ein Test prüft, dass jede Sprache jedes Gemüse kennt. Die Optionen der Kommandozeile sind unverändert. 🌱');
}

// 6 ------------------------------------------------------------------------------------------------------------------

function lookup(s, t, go, done) {
  const fork = s.parent;
  const read = new Set(s.read);
  const context = [s.context, s.cached];
  s.user('Looking up crops is slow with my big seed list (9,000 entries). Move the crops into an SQLite file.');
  go('That would be the first dependency on Node 18, which has no SQLite of its own. I should say so before I build it.', 'Node 18 has no SQLite built in, so this would bring the first dependency. I look at how the lookup is used before I decide anything.', t.grep('cropById|allCrops', { glob: 'src/**/*.js' }));
  go('', '', t.bash('node --version && ls node_modules 2>/dev/null | wc -l', 'Check Node and the dependencies', 'v18.20.4\n0'));
  s.turn({ say: 'An SQLite file means one dependency with a native build, and the crops can no longer be edited by hand. Shall I go on with it?' });
  s.rest();
  // The user goes back to before the question and asks for something else; what was said stays in the file.
  s.parent = fork;
  s.read = read;
  [s.context, s.cached] = context;

  s.user('Looking up crops is slow with my big seed list (9,000 entries). Keep the JSON file, but make the lookup fast. Put an index file into .cache/ if you need one.');
  go('cropById is a linear search, called for every crop of every bed. A Map by id is enough; an index file on disk can go stale. But the user suggested .cache/. Measure first.', 'I measure before I choose.', t.read('src/crops.js'), t.grep('cropById|allCrops', { glob: '{src,test}/**/*.js' }));
  go('', '', t.bash(`node -e "const n=9000, a=Array.from({length:n},(_, i)=>({id:'c'+i})); console.time('find'); for (let i=0;i<n;i++) a.find(c=>c.id==='c'+i); console.timeEnd('find'); console.time('map'); const m=new Map(a.map(c=>[c.id,c])); for (let i=0;i<n;i++) m.get('c'+i); console.timeEnd('map')"`, 'Compare search and map', 'find: 412.318ms\nmap: 2.904ms'));
  go('', 'An index in `.cache/`, as you said: it is written at the first start and read afterwards.', t.write('src/cache.js', `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../.cache/crops-index.json', import.meta.url);

export function cachedIndex(crops) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const index = Object.fromEntries(crops.map((crop, n) => [crop.id, n]));
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, JSON.stringify(index));
    return index;
  }
}
`), t.edit('src/crops.js', `export function cropById(id) {
  return crops.find((crop) => crop.id === id);
}`, `const index = cachedIndex(crops);

export function cropById(id) {
  return crops[index[id]];
}`));
  go('', '', t.edit('src/crops.js', "import { readFileSync } from 'node:fs';", "import { readFileSync } from 'node:fs';\nimport { cachedIndex } from './cache.js';"));
  go('', '', t.test());
  s.turn({ say: 'It works, 140 times faster. One thing to decide: when `data/crops.json` is edited, the index in `.cache/` is stale until it is deleted. I could compare the time of the file.' });
  s.rest();
  s.user('Then I change my mind: no cache on disk. Keep the index in memory only and delete cache.js. Simple beats clever here.');
  go('Decision changed: in memory, no .cache. Remove src/cache.js.', 'Agreed. An index in memory cannot go stale.', t.bash('rm -r src/cache.js .cache', 'Remove the cache', (x) => (x.fs.delete('src/cache.js'), '')));
  go('', '', t.edit('src/crops.js', "\nimport { cachedIndex } from './cache.js';", ''), t.edit('src/crops.js', 'const index = cachedIndex(crops);', 'const index = new Map(crops.map((crop) => [crop.id, crop]));'));
  go('', '', t.edit('src/crops.js', '  return crops[index[id]];', '  return index.get(id);'));
  go('', '', t.write('test/crops.test.js', `import test from 'node:test';
import assert from 'node:assert/strict';
import { allCrops, cropById } from '../src/crops.js';

test('every crop is found by its id', () => {
  for (const crop of allCrops()) assert.equal(cropById(crop.id), crop);
});

test('names of methods are not crops', () => {
  assert.equal(cropById('constructor'), undefined);
});
`));
  go('', '', t.test());
  go('', '', t.commit('Look up crops by an index in memory'));
  done('The lookup is a `Map` in memory now; `src/cache.js` is gone and nothing is written to `.cache/`. Committed. (Decision: no cache on disk, because it can go stale.)');
}

// 7 ------------------------------------------------------------------------------------------------------------------

function accessibility(s, t, go, done) {
  s.user('Have a helper look at the web view with regard to accessibility, and fix what is cheap to fix.');
  s.turn({
    think: 'The review can run in a window of its own; meanwhile I read the web files myself.',
    say: 'I give the review to a helper and read the server meanwhile.',
    calls: [
      t.task('Review accessibility', 'Read web/index.html and web/app.js of the garden planner. List problems of accessibility: language, headings, table structure, contrast, updates that a screen reader misses. Do not change anything. Rank by effort.', 'Explore',
        [t.glob('web/*'), t.read('web/index.html'), t.read('web/app.js'), t.read('src/server.js')],
        'Five findings, cheapest first:\n1. web/index.html has no `lang`.\n2. There is no heading; the page starts with a bare year.\n3. The plan is a run of paragraphs; it is tabular and should be a table with header cells.\n4. The plan appears after loading without a live region, so a screen reader does not notice.\n5. web/app.js puts names of crops into innerHTML without escaping. Not accessibility, but it should be mentioned.'),
      t.read('src/server.js'),
    ],
    order: [1, 0],
  });
  go('', '', t.todo('> lang and heading', '  table instead of paragraphs', '  live region', '  no innerHTML for data'));
  go('', '', t.read('web/index.html'), t.read('web/app.js'));
  go('', '', t.write('web/index.html', `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Garden planner</title>
<h1>Plan for <span id="year">2027</span></h1>
<div id="plan" aria-live="polite"></div>
<script type="module" src="app.js"></script>
</html>
`));
  go('textContent instead of innerHTML solves the fifth finding. Keep the function that builds the table apart from fetch, so that it can be tested without a browser.', '', t.write('web/app.js', `import { planTable } from './table.js';

const year = document.querySelector('#year').textContent;
const response = await fetch(\`/plan?year=\${year}\`);
document.querySelector('#plan').append(planTable(document, await response.json()));
`), t.write('web/table.js', `const HEADS = ['Sow', 'Crop', 'Bed'];

/** A table with header cells. Names go in as text, never as markup. */
export function planTable(doc, rows) {
  const table = doc.createElement('table');
  table.append(line(doc, 'th', HEADS));
  for (const row of rows) table.append(line(doc, 'td', [row.sowDate, row.crop, row.bed]));
  return table;
}

function line(doc, tag, cells) {
  const tr = doc.createElement('tr');
  for (const text of cells) {
    const cell = doc.createElement(tag);
    if (tag === 'th') cell.scope = 'col';
    cell.textContent = text;
    tr.append(cell);
  }
  return tr;
}
`));
  go('', 'The server must hand out the scripts; until now it answers every path with the page.', t.edit('src/server.js', "  return { type: 'text/html', body:", `  const script = /^\\/(app|table)\\.js$/.exec(url.pathname);
  if (script) {
    return { type: 'text/javascript', body: readFileSync(new URL(\`../web/\${script[1]}.js\`, import.meta.url), 'utf8') };
  }
  return { type: 'text/html', body:`));
  go('', '', t.write('test/web.test.js', `import test from 'node:test';
import assert from 'node:assert/strict';
import { handle } from '../src/server.js';
import { planTable } from '../web/table.js';

const doc = {
  createElement: (tag) => ({ tag, children: [], append(...nodes) { this.children.push(...nodes); } }),
};

test('the server hands out scripts and nothing else', () => {
  assert.equal(handle({ url: '/table.js' }).type, 'text/javascript');
  assert.equal(handle({ url: '/../package.json' }).type, 'text/html');
});

test('the page has a language and a heading', () => {
  assert.match(handle({ url: '/' }).body, /<html lang="en">[^]*<h1>/);
});

test('the plan is a table with header cells', () => {
  const table = planTable(doc, [{ sowDate: '2027-03-14', crop: '<b>', bed: 'A' }]);
  assert.equal(table.children[0].children[0].scope, 'col');
  assert.equal(table.children[1].children[1].textContent, '<b>');
});
`));
  go('', '', t.test());
  go('', '', t.bash('node src/server.js & sleep 1; curl -s localhost:8080/ | head -3; kill %1', 'Try the server', 'node:events:497\n      throw er; // Unhandled \'error\' event\n      ^\n\nError: listen EADDRINUSE: address already in use :::8080', { fails: 1 }));
  go('Another server is running on 8080, maybe the user\'s. I must not kill it. The tests cover handle(); that is enough.', 'Port 8080 is taken, probably by your own server; I leave that alone. The tests call the handler directly, so I can do without.', t.diffStat());
  go('', '', t.commit('Make the web view accessible'));
  done('All five findings are fixed: `lang`, a heading, a real table, a live region, and names go in as text instead of markup (`web/table.js`). I could not start the server by hand because port 8080 is in use; the handler is tested instead.');
}

// 8 ------------------------------------------------------------------------------------------------------------------

function rename(s, t, go, done) {
  s.user('We say "sow on" everywhere in the texts, only the code says sowDate. Rename sowDate to sowOn throughout.');
  go('', '', t.grep('sowDate', { mode: 'files' }), t.grep('sowDate', { glob: 'src/**/*.js' }));
  go('Eight files. In each one all occurrences; read first where I have not.', 'Eight files. I go through them one after the other.', t.todo('> Rename in src/', '  Rename in web/', '  Rename in test/', '  Run the tests'));
  go('', '', t.read('src/export/csv.js'), t.read('src/export/html.js'), t.read('src/export/ics.js'));
  go('', '', t.edit('src/plan.js', 'sowDate', 'sowOn', { all: true }));
  go('', '', t.edit('src/export/csv.js', 'sowDate', 'sowOn', { all: true }));
  go('', '', t.edit('src/export/html.js', 'sowDate', 'sowOn', { all: true }), t.edit('src/export/ics.js', 'sowDate', 'sowOn', { all: true }));
  go('', '', t.edit('src/overview.js', 'sowDate', 'sowOn', { all: true }), t.edit('web/table.js', 'sowDate', 'sowOn', { all: true }));
  go('', '', t.read('test/export.test.js'), t.read('test/web.test.js'));
  for (const p of ['test/export.test.js', 'test/overview.test.js', 'test/web.test.js']) go('', '', t.edit(p, 'sowDate', 'sowOn', { all: true }));
  go('', '', t.grep('sowDate'));
  go('', '', t.test());
  go('', '', t.commit('Rename sowDate to sowOn'));
  done('`sowDate` is `sowOn` everywhere: 4 files in `src/`, `web/table.js` and 3 test files. Tests pass; committed.');

  s.user('That broke the export! My spreadsheet reads the CSV column "sowDate" and now finds nothing. The column names of the CSV are public, like the flags. Fix it, and don\'t do it again.');
  go('My mistake: the header of the CSV was made from the property names, so renaming the property renamed the column. The tests did not check the header. Fix: map columns to properties, and a test that holds the header.',
    'You are right, and the tests could not notice: the header was made from the names of the properties. I separate the two and hold the header with a test.', t.read('src/export/csv.js'));
  go('', '', t.edit('src/export/csv.js', "const COLUMNS = ['bed', 'crop', 'sowOn', 'harvestDate', 'plants'];", `// column of the file -> property of a row. The columns are public: programs read them. Do not rename them.
const COLUMNS = { bed: 'bed', crop: 'crop', sowDate: 'sowOn', harvestDate: 'harvestDate', plants: 'plants' };`));
  go('', '', t.edit('src/export/csv.js', "[COLUMNS.join(',')]", "[Object.keys(COLUMNS).join(',')]"), t.edit('src/export/csv.js', 'COLUMNS.map((name)', 'Object.values(COLUMNS).map((name)'));
  go('', '', t.edit('test/export.test.js', "test('ics escapes commas'", `test('the columns of the csv are public and stay', () => {
  assert.equal(toCsv(rows).split('\\r\\n')[0], 'bed,crop,sowDate,harvestDate,plants');
});

test('ics escapes commas'`));
  go('', 'Does anything else leave the house under its property name? The JSON of the command line and of `/plan` does.', t.grep('JSON.stringify', { glob: 'src/**/*.js' }));
  s.turn({ think: 'The JSON output has sowOn now as well; the same kind of breakage. Ask, or restore? The rule the user just gave is about CSV columns, "like the flags". JSON output is public in the same way. Ask, as it is cheap.', say: 'One question before I commit: `--format json` and `/plan` also say `sowOn` now instead of `sowDate`. Do programs read those, too?' });
  s.rest();
  s.user('Nobody reads the JSON but our own web view, leave it. 👍');
  go('', '', t.test());
  go('', '', t.read('CLAUDE.md'));
  go('', 'I also write the rule down where the next session will see it.', t.edit('CLAUDE.md', '- Dates are UTC everywhere.\n', '- Dates are UTC everywhere.\n- Public, do not rename: the flags of the command line, the columns of the CSV.\n'));
  go('', '', t.commit('Keep the columns of the CSV'));
  done('The CSV has its column `sowDate` back; inside, the property stays `sowOn`. A test holds the header, and `CLAUDE.md` says that the columns are public. The JSON stays as it is. Committed.');
}

// 9 ------------------------------------------------------------------------------------------------------------------

const FRIENDS = {
  bean: [['potato'], ['onion', 'leek']], beet: [['onion', 'lettuce'], []], carrot: [['leek', 'onion', 'radish'], []], chard: [['carrot'], ['spinach']],
  kale: [['beet'], ['radish']], leek: [['carrot'], ['bean', 'pea']], lettuce: [['radish'], []], onion: [['carrot', 'beet'], ['bean', 'pea']],
  pea: [['carrot', 'radish'], ['onion', 'leek']], potato: [['bean'], ['tomato', 'pumpkin']], pumpkin: [['bean'], ['potato']], tomato: [['onion'], ['potato']],
};
const SAYS = [
  'Now the crops one by one, with your list.', '', 'Beetroot has no enemies on the list.', '', 'Chard.', '', 'Leek and onion agree.', '', '', 'Peas like carrots.', '', '', 'The last one.',
];

function companions(s, t, go, done) {
  s.user('Next: good and bad neighbours. Each crop gets "likes" and "avoids" (lists of ids) in data/crops.json, and the plan warns when two crops that avoid each other share a bed. My list:\n\n' + Object.entries(FRIENDS).map(([id, [a, b]]) => `${id}: likes ${a.join(', ') || '–'}; avoids ${b.join(', ') || '–'}`).join('\n'));
  go('Data first, one crop at a time because the lines are long and I want small edits; then the check, then tests. "avoids" must be symmetric: bean avoids onion, onion avoids bean. chard avoids spinach but spinach is not in the list; the check should look both ways.',
    'Data first, then the warning. The check will look in both directions, as the list is not symmetric everywhere (chard avoids spinach, spinach has no entry).', t.read('data/crops.json'), t.todo('> likes and avoids for 12 crops', '  Warn in the plan', '  Test'));
  let n = 0;
  for (const [id, [likes, avoids]] of Object.entries(FRIENDS)) {
    const c = CROPS.find((x) => x.id === id);
    const old = `"spacing":${c.spacing},"family":"${c.family}"}`;
    const before = `{"id":"${id}","name":"${c.name}","sow":${c.sow},"harvest":${c.harvest},${old}`;
    go('', SAYS[n++ % SAYS.length], t.edit('data/crops.json', before, before.replace(/\}$/, `,"likes":${JSON.stringify(likes)},"avoids":${JSON.stringify(avoids)}}`)));
  }
  go('', '', t.bash("node -e \"const c=JSON.parse(require('fs').readFileSync('data/crops.json','utf8')); const ids=new Set(c.map(x=>x.id)); for (const x of c) for (const y of [...(x.likes??[]),...(x.avoids??[])]) if (!ids.has(y)) console.log(x.id,'->',y); console.log('ok', c.length)\"", 'Check that every id exists', 'ok 14'));
  go('', '', t.read('src/beds.js'), t.read('test/beds.test.js'));
  go('', '', t.edit('src/beds.js', 'export function rotationConflict', `/** Do two crops do each other harm? It is enough that one of them says so. */
export function avoidEachOther(a, b) {
  return (a.avoids ?? []).includes(b.id) || (b.avoids ?? []).includes(a.id);
}

export function rotationConflict`));
  go('', '', t.edit('src/plan.js', "import { plantsPerBed, rotationConflict } from './beds.js';", "import { avoidEachOther, plantsPerBed, rotationConflict } from './beds.js';"), t.edit('src/plan.js', "        warnings: rotationConflict(bed, crop) ? ['rotation'] : [],\n", "        warnings: warningsFor(bed, crop),\n"));
  go('', '', t.edit('src/plan.js', '  return rows.sort((a, b) => a.sowOn.localeCompare(b.sowOn));\n}\n', `  return rows.sort((a, b) => a.sowOn.localeCompare(b.sowOn));
}

function warningsFor(bed, crop) {
  const warnings = rotationConflict(bed, crop) ? ['rotation'] : [];
  for (const id of bed.crops) {
    const other = cropById(id);
    if (other && avoidEachOther(crop, other)) warnings.push(\`avoid:\${id}\`);
  }
  return warnings;
}
`), t.edit('test/beds.test.js', "import { plantsPerBed, rotationConflict } from '../src/beds.js';", "import { avoidEachOther, plantsPerBed, rotationConflict } from '../src/beds.js';"));
  go('', '', t.edit('test/beds.test.js', "test('rotation looks at the family'", `test('it is enough that one crop avoids the other', () => {
  const chard = { id: 'chard', avoids: ['spinach'] };
  assert.equal(avoidEachOther(chard, { id: 'spinach' }), true);
  assert.equal(avoidEachOther({ id: 'spinach' }, chard), true);
  assert.equal(avoidEachOther({ id: 'pea' }, chard), false);
});

test('rotation looks at the family'`), t.edit('test/plan.test.js', "test('an unknown crop is refused'", `test('bad neighbours are warned of', () => {
  const rows = buildPlan({ year: 2027, zone: 'valley', beds: [{ ...beds[0], crops: ['bean', 'leek'] }] });
  assert.deepEqual(rows.map((row) => row.warnings), [['avoid:bean'], ['avoid:leek']]);
});

test('an unknown crop is refused'`));
  go('', '', t.test());
  go('', 'And the whole plan as JSON, over eight years, to see which warnings come up.', t.bash('for y in $(seq 2026 2033); do node src/cli.js --year $y --format json; done', 'Plans of eight years as JSON', (x) => Array.from({ length: 8 }, (_, n) => 2026 + n).map((y) => JSON.stringify(planRows(x, y, '04-25', 'sowOn').map((r) => ({ ...r, warnings: [...r.warnings, ...neighbours(x, r)] })), null, 2)).join('\n')));
  go('The output is long, but clear: nothing in the present beds is at odds. Good.', '', t.commit('Warn of bad neighbours'));
  done('The plan now warns with `avoid:<id>` when two crops of one bed do each other harm; one entry is enough, the check looks both ways. In your present beds there is no such pair. Committed.');
}

function neighbours(x, row) {
  const crops = JSON.parse(x.fs.get('data/crops.json'));
  const bed = JSON.parse(x.fs.get('data/beds.json')).find((b) => b.name === row.bed);
  const crop = crops.find((c) => c.name === row.crop);
  return bed.crops.filter((id) => {
    const other = crops.find((c) => c.id === id);
    return (crop.avoids ?? []).includes(id) || (other.avoids ?? []).includes(crop.id);
  }).map((id) => `avoid:${id}`);
}

// 10 -----------------------------------------------------------------------------------------------------------------

function sensors(s, t, go, done) {
  s.user('The soil sensors are connected now (server "soil"). Read the one in the South wall bed, id 1734509912345678901, and add a command-line format "sensors" – no, wait, just a module src/soil.js that parses its readings. Careful, the ids have 19 digits.');
  go('19 digits do not fit into a double: 1734509912345678901 > 2^53. Keep ids as text.', 'I read the sensor first.', t.mcp('mcp__soil__read_sensor', '{"unit":"celsius","sensor_id":1734509912345678901,"scale":2.0,"depths":{"30":true,"10":true},"average":false}',
    '{"z_order":3,"sensor_id":1734509912345678901,"bed":"South wall","moisture":2.0,"temperature":1.10e1,"depths":{"30":{"moisture":0.250},"10":{"moisture":2.0}},"a_note":"土が乾いています 🥵"}'));
  go('The id comes as a JSON number. JSON.parse would round it to 1734509912345678800 or so. Show it.', '', t.bash(`node -e 'console.log(JSON.parse("{\\"sensor_id\\":1734509912345678901}").sensor_id)'`, 'See what JSON.parse makes of it', '1734509912345678800'));
  go('', '`JSON.parse` rounds the id, as feared. The module reads the id from the text, before the parser can touch it.', t.write('src/soil.js', `/**
 * A reading of a soil sensor. Ids have 19 digits and come as numbers, which JSON.parse would round: they are read from
 * the text and stay text.
 */
export function parseReading(json) {
  const quoted = json.replace(/("sensor_id"\\s*:\\s*)(\\d+)/g, '$1"$2"');
  const { sensor_id: id, bed, moisture, temperature } = JSON.parse(quoted);
  return { id, bed, moisture, temperature };
}
`));
  go('', '', t.write('test/soil.test.js', `import test from 'node:test';
import assert from 'node:assert/strict';
import { parseReading } from '../src/soil.js';

test('all 19 digits of a sensor survive', () => {
  const reading = parseReading('{"sensor_id":1734509912345678901,"bed":"South wall","moisture":2.0,"temperature":1.10e1}');
  assert.equal(reading.id, '1734509912345678901');
  assert.equal(reading.temperature, 11);
});

test('an id that is text already stays as it is', () => {
  assert.equal(parseReading('{"sensor_id":"0017"}').id, '0017');
});
`));
  go('', '', t.test({}, { only: 'test/soil.test.js' }));
  go('', 'A second sensor, to be sure of the shape.', t.mcp('mcp__soil__read_sensor', '{"sensor_id":1734509912345678902,"unit":"celsius","scale":2.0}', '{"sensor_id":1734509912345678902,"bed":"Street","moisture":14.50,"temperature":9,"offline_since":null}'));
  go('', '', t.test());
  go('', '', t.commit('Parse readings of soil sensors'));
  done('`src/soil.js` parses a reading and keeps the id as text, with all 19 digits (…901 and …902 stay apart; as numbers they would both have become …800). By the way: South wall reads 2.0 % moisture – it should be watered. 💧');
}

// 11 -----------------------------------------------------------------------------------------------------------------

function japanese(s, t, go, done) {
  s.user('概要を日本語でも表示できるようにしてください。月は「1月」のように、野菜は日本語の名前でお願いします。列の幅も揃えてください。');
  go('日本語の言語ファイルを追加する。全角文字は端末で二桁分の幅を取るので、padEnd では揃わない。', 'わかりました。`locales/ja.json` を追加し、全角の幅を考えて揃えます。', t.read('locales/de.json'), t.read('src/overview.js'), t.read('test/overview.test.js'));
  const names = ['つるなしインゲン', 'ビーツ', 'ニンジン', 'フダンソウ', 'ケール', 'リーキ', 'レタス', 'タマネギ', 'エンドウ', 'ジャガイモ', 'カボチャ', 'ラディッシュ', 'ホウレンソウ', 'トマト'];
  go('', '', t.write('locales/ja.json', `{\n  "months": ${JSON.stringify(Array.from({ length: 12 }, (_, n) => `${n + 1}月`))},\n  "crops": {\n${CROPS.map((c, n) => `    "${c.id}": "${names[n]}"`).join(',\n')}\n  }\n}\n`));
  go('', '', t.write('src/width.js', `/** How many columns a text takes in a terminal: wide characters take two. */
export function columns(text) {
  let n = 0;
  for (const ch of text) n += /[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6]/.test(ch) ? 2 : 1;
  return n;
}

export function pad(text, width) {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}
`));
  go('', '', t.edit('src/overview.js', "import { words } from './i18n.js';", "import { words } from './i18n.js';\nimport { columns, pad } from './width.js';"), t.edit('src/overview.js', '    return `${name} ${crops.join(\', \')}`.trimEnd();', '    return `${pad(name, wide)} ${crops.join(\', \')}`.trimEnd();'));
  go('', '', t.edit('src/overview.js', '  const lines = months.map(', '  const wide = Math.max(...months.map(columns));\n  const lines = months.map('));
  go('', '', t.edit('test/overview.test.js', "for (const lang of ['de'])", "for (const lang of ['de', 'ja'])"), t.edit('test/overview.test.js', "test('an unknown language is English'", `test('wide characters are aligned', () => {
  assert.match(toOverview(rows, words('ja')), /^5月  トマト$/m);
  assert.match(toOverview([{ id: 'kale', sowOn: '2027-10-01' }], words('ja')), /^10月 ケール$/m);
});

test('an unknown language is English'`));
  go('', '', t.test());
  go('', '', t.bash('GARDEN_LANG=ja node src/cli.js --year 2027 --format overview', '日本語で確認', '1月\n2月\n3月  ホウレンソウ, エンドウ, タマネギ, リーキ, ラディッシュ, レタス\n4月  ニンジン, ビーツ, ジャガイモ, フダンソウ\n5月  つるなしインゲン, トマト, カボチャ, ケール\n6月\n7月\n8月\n9月\n10月\n11月\n12月'));
  go('', '', t.commit('Add Japanese'));
  done('`GARDEN_LANG=ja` で概要が日本語になります。全角文字は二桁として数えるので、「5月」と「10月」の列も揃います。テストはすべて通り、コミットしました。🍅');
}

// 12 -----------------------------------------------------------------------------------------------------------------

function vendorTable(s, t, go, done) {
  s.user('Add --format table, with the table function that we have in vendor/. The Japanese names must line up there, too.');
  go('', '', t.read('vendor/tinytable.js'), t.read('src/cli.js'), t.read('src/width.js'));
  go('tinytable pads with padEnd, so wide characters would be misaligned. The obvious fix is inside vendor/tinytable.js, and that is forbidden. So: pad before the call, with our own pad(), and hand widths of 0 to the function. padEnd(0) leaves text alone.',
    '`vendor/tinytable.js` pads by characters, so wide ones would not line up. I will not touch `vendor/`: our side pads first and hands widths of 0 over.', t.write('src/export/table.js', `import { table } from '../../vendor/tinytable.js';
import { words } from '../i18n.js';
import { columns, pad } from '../width.js';

/** A table for the terminal. The cells are padded here, because the borrowed table() counts characters, not columns. */
export function toTable(rows, { crops } = words()) {
  const cells = rows.map((row) => [row.sowOn, crops[row.id] ?? row.crop, row.bed, String(row.plants)]);
  const widths = [0, 1, 2, 3].map((i) => Math.max(0, ...cells.map((line) => columns(line[i]))));
  return table(cells.map((line) => line.map((cell, i) => pad(cell, widths[i]))), [0, 0, 0, 0]) + '\\n';
}
`));
  go('', '', t.edit('src/cli.js', "import { toOverview } from './overview.js';", "import { toTable } from './export/table.js';\nimport { toOverview } from './overview.js';"), t.edit('src/cli.js', '  overview: toOverview,\n', '  overview: toOverview,\n  table: toTable,\n'));
  go('', '', t.write('test/table.test.js', `import test from 'node:test';
import assert from 'node:assert/strict';
import { toTable } from '../src/export/table.js';
import { words } from '../src/i18n.js';

const rows = [
  { id: 'tomato', crop: 'Tomato', sowOn: '2027-05-09', bed: 'South wall', plants: 8 },
  { id: 'bean', crop: 'Bush bean', sowOn: '2027-05-09', bed: 'A', plants: 400 },
];

test('table lines up in Japanese', () => {
  assert.equal(toTable(rows, words('ja')), '2027-05-09 トマト           South wall 8\\n2027-05-09 つるなしインゲン A          400\\n');
});

test('an empty plan is an empty table', () => {
  assert.equal(toTable([]), '\\n');
});
`));
  go('', '', t.test());
  go('', '', t.bash('git status --short vendor/ && echo "vendor untouched"', 'Make sure that vendor/ is untouched', 'vendor untouched'), t.commit('Add table for the terminal'));
  done('`--format table` works, also in Japanese. `vendor/` is untouched: the padding happens on our side (`src/export/table.js`). Committed.');
}

// 13 -----------------------------------------------------------------------------------------------------------------

function types(s, t, go, done) {
  s.user('Please add JSDoc types to the exported functions in src/, so that the editor can help me. One commit at the end. No change of behaviour!');
  go('Shared types first: Bed, Crop, Row. Then module by module, tests in between.', 'Shared types first, then module by module.', t.write('src/types.js', `/**
 * @typedef {{ id: string, name: string, sow: number, harvest: number, spacing: number, family: string, likes?: string[], avoids?: string[] }} Crop
 * @typedef {{ name: string, width: number, length: number, path?: number, crops: string[], history: { yearsAgo: number, family: string }[] }} Bed
 * @typedef {{ bed: string, id: string, crop: string, sowOn: string, harvestDate: string, plants: number, warnings: string[] }} Row
 * @typedef {{ months: string[], crops: Record<string, string> }} Words
 */
export {};
`), t.grep('^export function', { glob: 'src/**/*.js' }));
  const todo = (n) => t.todo(...['dates and frost', 'crops and beds', 'plan', 'exports', 'languages and widths'].map((x, i) => `${i < n ? 'x' : i === n ? '>' : ' '} Type ${x}`));
  go('', '', todo(0), t.read('src/dates.js'), t.read('src/frost.js'));
  go('', '', t.edit('src/dates.js', "/** monthDay as in '04-25'. */", "/**\n * @param {number} year\n * @param {string} monthDay as in '04-25'\n */"), t.edit('src/dates.js', 'export function addWeeks', '/** @param {Date} date @param {number} weeks */\nexport function addWeeks'));
  go('', '', t.edit('src/dates.js', 'export function isoDate', '/** @param {Date} date @returns {string} as in 2027-04-25 */\nexport function isoDate'));
  go('', '', t.edit('src/frost.js', 'export function lastFrost', '/** @param {number} year @param {string} zone */\nexport function lastFrost'), t.edit('src/frost.js', 'export function firstFrost', '/** @param {number} year @param {string} zone */\nexport function firstFrost'));
  go('', '', todo(1), t.edit('src/crops.js', 'const crops = JSON', "/** @type {import('./types.js').Crop[]} */\nconst crops = JSON"));
  go('', '', t.edit('src/beds.js', 'export function plantsPerBed', "/**\n * @param {import('./types.js').Bed} bed\n * @param {{ spacing: number }} crop\n */\nexport function plantsPerBed"));
  go('', '', t.edit('src/beds.js', '/** Do two crops do each other harm? It is enough that one of them says so. */', "/**\n * Do two crops do each other harm? It is enough that one of them says so.\n * @param {Pick<import('./types.js').Crop, 'id' | 'avoids'>} a\n * @param {Pick<import('./types.js').Crop, 'id' | 'avoids'>} b\n */"));
  go('', 'A look in between.', t.test());
  go('', '', todo(2), t.edit('src/plan.js', 'export function buildPlan', "/**\n * @param {{ year: number, zone: string, beds: import('./types.js').Bed[] }} options\n * @returns {import('./types.js').Row[]}\n */\nexport function buildPlan"));
  go('', '', todo(3));
  go('', '', ...[['csv', 'toCsv'], ['html', 'toHtml'], ['ics', 'toIcs']].map(([p, fn]) => t.edit(`src/export/${p}.js`, `export function ${fn}`, `/** @param {import('../types.js').Row[]} rows @returns {string} */\nexport function ${fn}`)));
  go('', '', todo(4), t.read('src/i18n.js'));
  go('', '', t.edit('src/i18n.js', '/** The words of a language; English where it is not known. */', "/**\n * The words of a language; English where it is not known.\n * @returns {import('./types.js').Words}\n */"));
  go('', '', t.edit('src/width.js', 'export function pad', '/** @param {string} text @param {number} width in columns */\nexport function pad'));
  go('', '', t.test());
  go('', '', t.diffStat());
  go('', '', t.commit('Describe types'));
  done('Every exported function in `src/` has its types; shared ones are in `src/types.js`. Only comments were added, and all tests pass. One commit.');
}

// 14 -----------------------------------------------------------------------------------------------------------------

function printView(s, t, go, done) {
  s.user('Last thing for this week: a print view. --format html should print nicely: each bed on a page of its own, with its rows and the warnings. Keep the table markup that is there, someone else styles it.');
  s.apiError('API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
  s.user('go on');
  go('One section per bed, a page break after each one. The present markup is <table>…<tr><td>; keep it: the table goes into a section. Rows come sorted by date; group by bed, keep the order.',
    'I group the rows by bed; the markup of the table stays as it is, each table gets a section around it.', t.todo('> Group the html by bed', '  One bed a page when printed', '  Show the warnings', '  Test', '  Commit'), t.read('src/export/html.js'), t.read('test/export.test.js'));
  go('', '', t.edit('src/export/html.js', `  const body = rows.map((row) => \`<tr><td>\${escape(row.bed)}</td><td>\${escape(row.crop)}</td><td>\${row.sowOn}</td></tr>\`);
  return \`<table>\\n\${body.join('\\n')}\\n</table>\\n\`;
}`, `  const beds = new Map();
  for (const row of rows) beds.set(row.bed, [...(beds.get(row.bed) ?? []), row]);
  return [...beds].map(([bed, list]) => section(bed, list)).join('');
}

function section(bed, rows) {
  const body = rows.map((row) => \`<tr><td>\${escape(row.bed)}</td><td>\${escape(row.crop)}</td><td>\${row.sowOn}</td></tr>\`);
  return \`<section class="bed">\\n<h2>\${escape(bed)}</h2>\\n<table>\\n\${body.join('\\n')}\\n</table>\\n</section>\\n\`;
}`));
  go('', '', t.edit('test/export.test.js', "test('html escapes markup'", `test('html has a section for each bed', () => {
  const html = toHtml([rows[0], { ...rows[0], bed: 'B' }, { ...rows[0], crop: 'Leek' }]);
  assert.equal(html.match(/<section class="bed">/g).length, 2);
  assert.ok(html.indexOf('Leek') < html.indexOf('<h2>B'));
});

test('html escapes markup'`));
  go('', '', t.test());
  go('Now the print rule. A style element in the output; break-after: page for section.bed, except the last one, otherwise an empty page comes out at the end.', 'Grouping works. Now the rule for printing.', t.edit('src/export/html.js', "  return [...beds].map(([bed, list]) => section(bed, list)).join('');", "  return STYLE + [...beds].map(([bed, list]) => section(bed, list)).join('');"), t.todo('x Group the html by bed', '> One bed a page when printed', '  Show the warnings', '  Test', '  Commit'));
  go('', '', t.edit('src/export/html.js', '/** @param', '// a bed a page; the last one must not leave an empty page behind\nconst STYLE = `<style>\n@media print {\n  section.bed { break-after: page; }\n}\n</style>\n`;\n\n/** @param'));
  go('', '', t.edit('test/export.test.js', "test('html escapes markup'", `test('the last bed leaves no empty page behind', () => {
  assert.match(toHtml(rows), /section\\.bed:not\\(:last-of-type\\) \\{ break-after: page; \\}/);
});

test('html escapes markup'`));
  go('', '', t.test({ 'the last bed leaves no empty page behind': `AssertionError [ERR_ASSERTION]: The input did not match the regular expression /section\\.bed:not\\(:last-of-type\\) \\{ break-after: page; \\}/. Input:\n\n'<style>\\n@media print {\\n  section.bed { break-after: page; }\\n}\\n</style>\\n<section class="bed">…'` }));
  s.user('I have to stop here for today. Leave it as it is, do not commit, and write down where we are.');
  done('Where we are with the print view (nothing committed yet, on `feature/ics-export`):\n\n- `src/export/html.js`: rows are grouped into `<section class="bed">`, the markup of the tables is unchanged. ✅\n- The print rule is there, but it still breaks after the *last* bed; the new test "the last bed leaves no empty page behind" fails because of that.\n- The warnings are not shown yet.\n\n**Next step:** in `STYLE`, change `section.bed` to `section.bed:not(:last-of-type)`; then show `row.warnings` in a cell of its own *after* the existing ones (the existing markup must stay), run `npm test`, and commit. The colours in the web view are still put off.',
    'Say what is done, what fails and why, and the next step. No commit.');
}
