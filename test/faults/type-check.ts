import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isParsable, type Candidate } from './candidates.ts';

/** Tells which faults the compiler accepts. Many are checked in one run, one of a file at a time. */
export class TypeCheck {
  readonly #tree: string;
  readonly #cache: string;

  /**
   * @param tree a checkout of its own: faults are written into it
   * @param cache where the compiler keeps what it knows from run to run
   */
  constructor(tree: string, cache: string) {
    this.#tree = tree;
    this.#cache = cache;
  }

  check(candidates: readonly Candidate[]): Map<Candidate, boolean> {
    const results = new Map<Candidate, boolean>();
    for (const project of ['tsconfig.json', 'src/dashboard/tsconfig.json']) {
      const isDashboard = project.includes('dashboard');
      let rest = candidates.filter(({ file }) => file.startsWith('src/dashboard/') === isDashboard);
      while (rest.length > 0) {
        const batch = [...new Map(rest.toReversed().map((each) => [each.file, each])).values()];
        rest = rest.filter((each) => !batch.includes(each));
        for (const [candidate, result] of this.#checkTogether(batch, project)) results.set(candidate, result);
      }
    }
    return results;
  }

  #checkTogether(batch: readonly Candidate[], project: string): Map<Candidate, boolean> {
    const parsable = batch.filter((each) => isParsable(each.file, this.#mutated(each)));
    const faulty = this.#faultyFiles(parsable, project);
    const accepted = parsable.filter(({ file }) => !faulty.has(file));
    // An error in an unchanged file comes from a fault in another: find it by checking each alone.
    const isElsewhere = [...faulty].some((file) => parsable.every((each) => each.file !== file));
    const alone = isElsewhere && accepted.length > 1;
    return new Map(
      batch.map((each) => [
        each,
        accepted.includes(each) && (alone ? this.#faultyFiles([each], project).size === 0 : !isElsewhere),
      ]),
    );
  }

  #faultyFiles(faults: readonly Candidate[], project: string): Set<string> {
    if (faults.length === 0) return new Set();
    const originals = faults.map(({ file }) => [join(this.#tree, file), this.#read(file)] as const);
    for (const each of faults) writeFileSync(join(this.#tree, each.file), this.#mutated(each));
    try {
      return this.#compile(project);
    } finally {
      for (const [path, text] of originals) writeFileSync(path, text);
    }
  }

  /** @returns the files with errors */
  #compile(project: string): Set<string> {
    const tsc = join(this.#tree, 'node_modules/typescript/bin/tsc');
    const info = join(this.#cache, project.replaceAll('/', '-'));
    const { stdout, status } = spawnSync(
      process.execPath,
      [tsc, '--noEmit', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', info, '-p', project],
      { cwd: this.#tree, encoding: 'utf8', maxBuffer: 2 ** 28 },
    );
    const files = new Set([...stdout.matchAll(/^([^\s(][^(\n]*)\(\d+,\d+\): error /gm)].map(([, file = '']) => file));
    if (status !== 0 && files.size === 0) throw new Error(`tsc -p ${project} fails:\n${stdout}`);
    return files;
  }

  #mutated({ file, start, end, replacement }: Candidate): string {
    const text = this.#read(file);
    return text.slice(0, start) + replacement + text.slice(end);
  }

  #read(file: string): string {
    return readFileSync(join(this.#tree, file), 'utf8');
  }
}
