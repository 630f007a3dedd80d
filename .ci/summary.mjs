// Prints what each lane of a CI run did, its slowest files and what failed, from the JSON reports of vitest, and writes the counts.
// Usage: node .ci/summary.mjs <counts file> <name>=<report> ...
import { readFileSync, writeFileSync } from 'node:fs';

const SLOWEST = 20;
const [countsFile, ...reports] = process.argv.slice(2);
const rows = new Map();
const files = [];
const failures = [];
const counts = { passed: 0, failed: 0, skipped: 0 };

for (const argument of reports) {
  const at = argument.indexOf('=');
  const run = argument.slice(0, at);
  let report;
  try {
    report = JSON.parse(readFileSync(argument.slice(at + 1), 'utf8'));
  } catch {
    // A run that wrote no report has failed, whatever it printed.
    row(run, 'no report').failed++;
    failures.push(`${run}: it wrote no report`);
    counts.failed++;
    continue;
  }
  for (const { name, status, message, startTime, endTime, assertionResults } of report.testResults) {
    const path = name.slice(name.lastIndexOf('/test/') + 1);
    const lane = row(run, path.split('/')[1]);
    const of = (state) => assertionResults.filter((each) => each.status === state).length;
    const failed = of('failed');
    // A file that could not be loaded has failed, though none of its tests has.
    const broken = status === 'failed' && failed === 0 ? 1 : 0;
    const skipped = of('skipped') + of('pending') + of('todo') + of('disabled');
    const named = nameIn(run, path);
    if (broken > 0)
      failures.push(`${named}\n${indented(message || 'What stands around its tests failed: see its output.')}`);
    for (const { status: state, fullName, failureMessages } of assertionResults)
      if (state === 'failed') failures.push(`${named} > ${fullName}\n${failureMessages.map(indented).join('\n')}`);
    lane.files++;
    lane.passed += of('passed');
    lane.failed += failed + broken;
    lane.skipped += skipped;
    lane.from = Math.min(lane.from, startTime);
    lane.to = Math.max(lane.to, endTime);
    files.push({ path: named, seconds: (endTime - startTime) / 1000 });
    counts.passed += of('passed');
    counts.failed += failed + broken;
    counts.skipped += skipped;
  }
}

const table = [...rows.values()].map((lane) => [
  lane.name,
  String(lane.files),
  String(lane.passed),
  String(lane.failed),
  String(lane.skipped),
  lane.files === 0 ? '' : ((lane.to - lane.from) / 1000).toFixed(0),
]);
print([['lane', 'files', 'passed', 'failed', 'skipped', 'seconds'], ...table]);
process.stdout.write(`\nThe ${SLOWEST} slowest files:\n`);
files.sort((a, b) => b.seconds - a.seconds);
print(files.slice(0, SLOWEST).map(({ path, seconds }) => [`  ${seconds.toFixed(1)} s`, path]));
// Last, where the end of a long output is read first.
if (failures.length > 0) process.stdout.write(`\nWhat failed:\n${failures.map((each) => `  ${each}\n`).join('')}`);
writeFileSync(countsFile, `${counts.passed} ${counts.failed} ${counts.skipped}\n`);

/** A part of the suite that is not run as usual is named. */
function nameIn(run, path) {
  return run === 'npm test' || run === path.split('/')[1] ? path : `${path} (${run})`;
}

function indented(text) {
  return text.replace(/^/gm, '    ').slice(0, 2_000);
}

function row(run, lane) {
  const name = run === 'npm test' || run === lane ? lane : `${lane} (${run})`;
  const known = rows.get(name);
  if (known) return known;
  const made = { name, files: 0, passed: 0, failed: 0, skipped: 0, from: Infinity, to: 0 };
  rows.set(name, made);
  return made;
}

function print(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines)
    process.stdout.write(
      `${line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd()}\n`,
    );
}
