import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanes } from '../../harness/lanes.ts';

const defaultLanes = ['unit', 'services', 'api', 'browser'].map((lane) => `--project=${lane}`);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-run-')));

/** A checkout whose build and vitest print what they are started with. */
beforeAll(() => {
  const print = 'process.stdout.write(JSON.stringify(process.argv.slice(2)) + "\\n");\n';
  for (const path of ['src/cli/prepare.mjs', 'node_modules/vitest/vitest.mjs']) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), print);
  }
  cpSync(fileURLToPath(new URL('../../run.mjs', import.meta.url)), join(folder, 'test', 'run.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the arguments of the build, then those of vitest */
function run(...args: string[]): unknown[] {
  const { stdout } = spawnSync(process.execPath, ['test/run.mjs', ...args], { cwd: folder, encoding: 'utf8' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('npm test', () => {
  it.each([
    'test/unit/a.test.ts',
    './test/unit/a.test.ts',
    join(folder, 'test/unit/a.test.ts'),
    'test/unit/../unit/a.test.ts',
    'unit/a.test.ts',
    './unit/a.test.ts',
  ])('builds nothing for %s', (path) => {
    expect(run(path)).toEqual([['--packages'], ['run', 'test/unit/a.test.ts']]);
  });

  it('runs a folder, and the test at a line', () => {
    expect(run('./test/unit', './test/api/a.test.ts:12')[1]).toEqual(['run', 'test/unit', 'test/api/a.test.ts:12']);
    expect(run('unit', 'soak/a.test.ts:12')[1]).toEqual(['run', 'test/unit', 'test/soak/a.test.ts:12']);
  });

  it.each(lanes)('knows the lane %s', (lane) => {
    expect(run(`${lane}/`)).toEqual([['--packages'], ['run', `test/${lane}`]]);
  });

  it('leaves the values of options as they are', () => {
    const options = ['-t', 'unit', '--testNamePattern', 'soak/x'];
    expect(run(...options)[1]).toEqual(['run', ...defaultLanes, ...options]);
    expect(run('--stress', 'unit/a.test.ts')[1]).toEqual(['run', 'test/unit/a.test.ts']);
  });

  it.each(['--silent', '-u', '--no-color', '--bail=1'])('builds nothing for a unit test after %s', (option) => {
    const passed = option === '--silent' ? '--silent=true' : option;
    expect(run(option, 'unit/a.test.ts')).toEqual([['--packages'], ['run', passed, 'test/unit/a.test.ts']]);
  });

  it('leaves a value of --silent with it', () => {
    expect(run('--silent', 'passed-only', 'unit/a.test.ts')[1]).toEqual([
      'run',
      '--silent',
      'passed-only',
      'test/unit/a.test.ts',
    ]);
  });

  it('builds all and runs the four lanes where no test file is named', () => {
    const options = ['-t', 'a test', '--reporter', './test/harness/lane-reporter.ts'];
    expect(run(...options)).toEqual([[], ['run', ...defaultLanes, ...options]]);
  });
});
