import { parseArgs } from 'node:util';
import { listPath, readFaults, readStruck, type Fault } from './fault.ts';
import { isDetected, readResults, type FaultResult } from './result.ts';

const usage = `Usage: node test/faults/report.ts --before FILE --after FILE [--faults FILE]

Prints a Markdown table of what two test suites detect. Exits with 1 where a fault that is not struck is not detected
after, or has no result.
`;

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    faults: { type: 'string', default: listPath },
    help: { type: 'boolean' },
  },
});
if (values.help || !values.before || !values.after) {
  (values.help ? process.stdout : process.stderr).write(usage);
  process.exit(values.help ? 0 : 2);
}
const struck = readStruck();
const { seed, faults } = readFaults(values.faults);
const before = readResults(values.before);
const after = readResults(values.after);
const counted = faults.filter(({ id }) => !struck.has(id));
const undetected = counted.filter(({ id }) => !detects(after, id));
const lost = undetected.filter(({ id }) => detects(before, id));

const lines = [
  '| Fault | Kind | Place | Before | After |',
  '| --- | --- | --- | --- | --- |',
  ...faults.map((fault) => row(fault)),
  '',
  '| Area | Faults | Struck | Detected before | Detected after |',
  '| --- | ---: | ---: | ---: | ---: |',
  ...[...Map.groupBy(faults, ({ area }) => area)].map(([area, those]) => areaRow(area, those)),
  areaRow('All', faults),
  '',
  ...[...struck].map(([id, reason]) => `- ${id} is struck: ${reason}`),
  '',
  `Seed ${seed}. Detected before and not after: ${namesOf(lost)}. Not detected after: ${namesOf(undetected)}.`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = undetected.length > 0 ? 1 : 0;

function row({ id, kind, file, line }: Fault): string {
  return `| ${id} | ${kind} | ${file}:${line} | ${cell(before, id)} | ${cell(after, id)} |`;
}

function cell(results: ReadonlyMap<string, FaultResult>, id: string): string {
  if (struck.has(id)) return 'struck';
  const result = results.get(id);
  if (result === undefined) return 'no result';
  return result.by === undefined ? result.outcome : `${result.outcome} by ${escaped(result.by)}`;
}

function areaRow(name: string, those: readonly Fault[]): string {
  const unstruck = those.filter(({ id }) => !struck.has(id));
  const detected = (results: ReadonlyMap<string, FaultResult>): number =>
    unstruck.filter(({ id }) => detects(results, id)).length;
  return `| ${name} | ${those.length} | ${those.length - unstruck.length} | ${detected(before)} | ${detected(after)} |`;
}

function detects(results: ReadonlyMap<string, FaultResult>, id: string): boolean {
  const result = results.get(id);
  return result !== undefined && isDetected(result);
}

function namesOf(those: readonly Fault[]): string {
  return those.length === 0 ? 'none' : `${those.length} (${those.map(({ id }) => id).join(', ')})`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
