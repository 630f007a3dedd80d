import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fileReaders } from '../../coverage/file-readers.ts';
import { selectTests, type Selection } from '../../coverage/select-tests.ts';
import { selectionNotes } from '../../coverage/selection-notes.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const map = {
  'src/gateway/a.ts': ['test/api/rest/a.test.ts', 'test/browser/page.test.ts'],
  'src/dashboard/page.tsx': ['test/browser/page.test.ts'],
};
const mapped = ['test/api/rest/a.test.ts', 'test/browser/page.test.ts'];
const select = (...changed: string[]): Selection => selectTests(changed, map, mapped);
/** What runs at each change of a source. */
const rules = ['test/services/audit/audit-log.test.ts', 'test/unit/architecture/'];

describe('the tests that a change reaches', () => {
  it('are those that import it, those that the map names, and the rules for sources', () => {
    expect(select('src/gateway/a.ts')).toEqual({
      related: ['src/gateway/a.ts'],
      relatedLanes: ['unit', 'services'],
      lanes: [],
      files: ['test/api/rest/a.test.ts', 'test/browser/page.test.ts', ...rules],
      unmapped: [],
      notRun: [],
    });
  });

  it.each([
    ['src/gateway/new.ts', ['api', 'browser'], rules],
    ['src/dashboard/new.tsx', ['browser'], ['test/api/dashboard/', ...rules]],
    ['src/dashboard/design/tokens.css', ['unit', 'browser'], ['test/api/dashboard/']],
    ['src/catalogue/snapshot.jsonl', ['unit', 'services', 'api', 'browser'], []],
    ['test/harness/server-process.ts', ['api', 'browser'], []],
    ['test/harness/setup.ts', ['unit', 'services', 'api', 'browser'], []],
    ['test/api/rest/shape.ts', ['api'], []],
    ['migrations/Migration1.ts', ['services', 'api', 'browser'], []],
    ['package-lock.json', ['unit', 'services', 'api', 'browser'], []],
  ])('are whole lanes where it is not known which tests reach %s', (path, lanes, files) => {
    expect(select(path)).toMatchObject({ lanes, files });
  });

  it.each([
    ['README.md', [], ['test/api/graphql/clients/', 'test/api/readme/', 'test/unit/docs/']],
    ['docs/security.md', ['unit'], ['test/api/graphql/clients/', 'test/api/readme/']],
    ['schema/schema.graphql', ['unit'], ['test/api/graphql/audit.test.ts']],
    ['test/fixtures/providers/openai/a.json', ['unit'], []],
    ['.ci/run', ['unit'], []],
    ['package.json', ['unit', 'services', 'api', 'browser'], []],
    ['test/unit/new.test.ts', [], ['test/unit/harness/lanes.test.ts']],
  ])('are those that read %s', (path, lanes, files) => {
    expect(select(path)).toMatchObject({ lanes, files: expect.arrayContaining(files) });
  });

  it('are none where no test reads it', () => {
    expect(select('LICENSE')).toMatchObject({ related: [], lanes: [], files: [], notRun: [] });
  });

  it('are the changed tests themselves', () => {
    const changed = ['test/unit/a.test.ts', 'test/api/b.test.ts'];
    expect(select(...changed)).toMatchObject({
      related: changed,
      lanes: [],
      files: ['test/api/b.test.ts', 'test/unit/harness/lanes.test.ts', 'test/unit/harness/missing-tools.test.ts'],
    });
  });

  it('leave out a file whose lane runs whole', () => {
    expect(select('src/gateway/a.ts', 'src/dashboard/new.tsx')).toMatchObject({
      lanes: ['browser'],
      files: ['test/api/dashboard/', 'test/api/rest/a.test.ts', ...rules],
    });
    expect(select('src/gateway/a.ts', 'docs/security.md')).toMatchObject({
      lanes: ['unit'],
      relatedLanes: ['services'],
    });
    expect(select('src/gateway/a.ts', 'package-lock.json')).toMatchObject({ related: [], files: [] });
  });
});

describe('a test file that the map does not contain', () => {
  const testFiles = [...mapped, 'test/api/new.test.ts', 'test/unit/other.test.ts'];

  it('runs with each change of a source, with a note on how to record the map', () => {
    const selection = selectTests(['src/gateway/a.ts'], map, testFiles);
    expect(selection.files).toEqual(['test/api/new.test.ts', ...mapped, ...rules]);
    expect(selection.unmapped).toEqual(['test/api/new.test.ts']);
    expect(selectionNotes(selection)).toEqual([
      'Test files that test/coverage/map.json does not contain: 1. A change of the sources runs all of them. ' +
        'To record the map again: npm run test:coverage (it runs all lanes).',
    ]);
  });

  it('does not run where no source changed', () => {
    expect(selectTests(['README.md'], map, testFiles)).toMatchObject({ unmapped: [] });
  });
});

describe('a changed test of the soak or promises lane', () => {
  it('is named with the command that runs it', () => {
    const selection = select('test/soak/c.test.ts', 'test/promises/d.test.ts', 'test/promises/median.ts');
    expect(selection).toMatchObject({ lanes: [], unmapped: [] });
    expect(selectionNotes(selection)).toEqual([
      'Not run: test/promises/d.test.ts, test/soak/c.test.ts. ' +
        'To run: npm test -- test/promises/d.test.ts test/soak/c.test.ts',
      'Not run: the promises lane. To run: npm run test:promises',
    ]);
  });
});

describe('the table of files that tests read', () => {
  const own = 'test/unit/coverage/select-tests.test.ts';
  const tests = globSync('test/{unit,services,api,browser}/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== own)
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));

  it.each([
    '.npmrc',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'README.md',
    'SECURITY.md',
    'docs/security.md',
    'schema/openapi.json',
    'schema/schema.graphql',
  ])('contains each test that names %s', (name) => {
    const { lanes, files } = select(name);
    const literal = new RegExp(`['"\`][./]*${name.replaceAll('.', '\\.')}['"\`]`);
    const readers = tests.filter(({ text }) => literal.test(text)).map(({ path }) => path);
    const isSelected = (path: string): boolean =>
      lanes.some((lane) => path.startsWith(`test/${lane}/`)) || files.some((each) => path.startsWith(each));
    expect(readers.filter((path) => !isSelected(path))).toEqual([]);
  });

  it('names tests that exist', () => {
    const readers = new Set(fileReaders.flatMap(([, each]) => each));
    expect([...readers].filter((each) => each.startsWith('test/') && !existsSync(`${root}/${each}`))).toEqual([]);
  });
});
