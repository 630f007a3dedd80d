import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { areaOf, areas } from './areas.ts';
import { candidatesIn, type Candidate } from './candidates.ts';
import { listPath, readStruck, type Fault, type FaultList } from './fault.ts';
import { contextOf } from './place.ts';
import { select } from './select.ts';
import { TypeCheck } from './type-check.ts';

const usage = `Usage: node test/faults/generate.ts --seed N [options]

Generates faults in src: small changes that type-check and that a test should detect. The same seed, commit and
test/faults/struck.json make the same list. A struck fault stays in the list, and another is added for it.

  --seed N        seeds the choice
  --per-area N    faults in each area that are not struck (default 13)
  --ref COMMIT    the commit to read the sources of (default HEAD)
  --out FILE      (default test/faults/faults.json)
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    'per-area': { type: 'string', default: '13' },
    ref: { type: 'string', default: 'HEAD' },
    out: { type: 'string', default: listPath },
    help: { type: 'boolean' },
  },
});
const seed = Number(values.seed);
const perArea = Number(values['per-area']);
if (values.help || !Number.isInteger(seed) || !Number.isInteger(perArea) || perArea < 1) {
  (values.help ? process.stdout : process.stderr).write(usage);
  process.exit(values.help ? 0 : 2);
}

const root = new URL('../..', import.meta.url).pathname;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-faults-')));
const tree = join(folder, 'tree');
const commit = git('rev-parse', values.ref).trim();
git('worktree', 'add', '--detach', tree, commit);
try {
  symlinkSync(realpathSync(join(root, 'node_modules')), join(tree, 'node_modules'));
  const list: FaultList = { seed, perArea, commit, faults: generate() };
  writeFileSync(values.out, `${JSON.stringify(list, null, 2)}\n`);
  process.stdout.write(`${list.faults.length} faults in ${values.out}\n`);
} finally {
  git('worktree', 'remove', '--force', tree);
  rmSync(folder, { recursive: true, force: true });
}

function generate(): Fault[] {
  const byArea = Map.groupBy(
    sources().flatMap((file) => candidatesIn(file, read(file))),
    ({ file }) => areaOf(file),
  );
  const struck = readStruck();
  const typeCheck = new TypeCheck(tree, folder);
  const accepted = new Map<Candidate, boolean>();
  for (;;) {
    const selections = areas.map(({ name }) => {
      const selection = select({
        seed,
        area: name,
        candidates: byArea.get(name) ?? [],
        count: perArea,
        isStruck: (index) => struck.has(idOf(name, index)),
        isAccepted: (candidate) => accepted.get(candidate),
      });
      return { name, selection };
    });
    const unchecked = selections.flatMap(({ selection }) => ('unchecked' in selection ? selection.unchecked : []));
    if (unchecked.length === 0)
      return selections.flatMap(({ name, selection }) =>
        'chosen' in selection ? selection.chosen.map((candidate, index) => toFault(name, index, candidate)) : [],
      );
    process.stderr.write(`Type-checking ${unchecked.length} candidates …\n`);
    for (const [candidate, result] of typeCheck.check(unchecked)) accepted.set(candidate, result);
  }
}

function toFault(area: string, index: number, { file, kind, start, end, replacement }: Candidate): Fault {
  const text = read(file);
  return {
    id: idOf(area, index),
    area,
    kind,
    file,
    line: text.slice(0, start).split('\n').length,
    original: text.slice(start, end),
    replacement,
    context: contextOf(text, start, end),
  };
}

function idOf(area: string, index: number): string {
  return `${area}-${String(index + 1).padStart(2, '0')}`;
}

function sources(): string[] {
  return git('ls-tree', '-r', '--name-only', commit, 'src/')
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path) && areaOf(path) !== null)
    .sort();
}

function read(file: string): string {
  return readFileSync(join(tree, file), 'utf8');
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
