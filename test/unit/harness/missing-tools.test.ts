import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { missingTools, testTools, type TestTool } from '../../harness/missing-tools.ts';

const tests = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules/'))
  .map((path) => ({ path, text: readFileSync(join(tests, path), 'utf8') }));

/** What test files import that needs the program. */
const imports: Readonly<Record<string, RegExp>> = {
  PostgreSQL: importOf('describeOnEachDatabase|describeWithDatabase|serverPostgres|startPostgres'),
  Chromium: importOf('openBrowser'),
  Redis: importOf('describeWithRedis|startRedis'),
  FFmpeg: importOf('describeWithFfmpeg|itWithFfmpeg'),
  curl: importOf('hasCurl'),
};

function importOf(names: string): RegExp {
  return new RegExp(`^import \\{[^}]*\\b(${names})\\b[^}]*\\} from`, 'm');
}

function tool(overrides: Partial<TestTool>): TestTool {
  return {
    name: 'tool',
    install: 'install tool',
    usedBy: [['api/', 'skipped']],
    isInstalled: () => false,
    ...overrides,
  };
}

describe('a program that tests use', () => {
  it.each(Object.entries(imports))('is named for each test file that needs it: %s', (name, used) => {
    const usedBy = testTools.find((each) => each.name === name)?.usedBy ?? [];
    const using = files.filter(({ text }) => used.test(text));
    expect(using.filter(({ path }) => !usedBy.some(([prefix]) => path.startsWith(prefix)))).toEqual([]);
  });

  it('is the condition of tests in each file that runs it: FFmpeg', () => {
    const running = files.filter(({ text }) =>
      /\('(ffmpeg|ffprobe)'|^import .*harness\/(audio|recording)\.ts/m.test(text),
    );
    expect(running.length).toBeGreaterThan(0);
    expect(running.filter(({ text }) => !imports.FFmpeg?.test(text))).toEqual([]);
  });

  it('is named for no path without tests', () => {
    const paths = testTools.flatMap(({ usedBy }) => usedBy.map(([path]) => path));
    expect(paths.filter((prefix) => !files.some(({ path }) => path.startsWith(prefix)))).toEqual([]);
  });

  it('is not looked for when no file of the run uses it', () => {
    const isInstalled = (): boolean => expect.fail('looked for');
    expect(missingTools(['unit/a.test.ts', 'api.test.ts'], [tool({ isInstalled })])).toEqual([]);
  });

  it('is reported when it is missing, with what that means for the files of the run alone', () => {
    const usedBy = [
      ['api/', 'api tests were skipped'],
      ['soak/a', 'soak tests were skipped'],
      ['soak/b', 'soak tests were skipped'],
    ] as const;
    const reported = { name: 'tool', install: 'install tool' };
    expect(missingTools(['api/a.test.ts'], [tool({ usedBy })])).toEqual([
      { ...reported, consequences: ['api tests were skipped'] },
    ]);
    expect(missingTools(['soak/a.test.ts', 'soak/b.test.ts'], [tool({ usedBy })])).toEqual([
      { ...reported, consequences: ['soak tests were skipped'] },
    ]);
    expect(missingTools(['api/a.test.ts'], [tool({ usedBy, isInstalled: () => true })])).toEqual([]);
  });
});
