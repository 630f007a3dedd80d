import { describe, expect, it } from 'vitest';
import { selectTests } from '../../coverage/select-tests.ts';

const map = {
  'src/gateway/a.ts': ['test/api/rest/a.test.ts', 'test/browser/page.test.ts'],
  'src/dashboard/page.tsx': ['test/browser/page.test.ts'],
};

describe('the tests that a change reaches', () => {
  it('are those that import it, and those that the map names', () => {
    expect(selectTests(['src/gateway/a.ts'], map)).toEqual({
      related: ['src/gateway/a.ts'],
      lanes: [],
      files: ['test/api/rest/a.test.ts', 'test/browser/page.test.ts'],
    });
  });

  it.each([
    ['src/gateway/new.ts', ['api', 'browser']],
    ['src/dashboard/new.tsx', ['browser']],
    ['test/harness/server-process.ts', ['api', 'browser']],
    ['test/api/rest/shape.ts', ['api']],
    ['migrations/Migration1.ts', ['api', 'browser']],
    ['package-lock.json', ['api', 'browser']],
    ['README.md', []],
  ])('are whole lanes where the map does not know %s', (path, lanes) => {
    expect(selectTests([path], map)).toMatchObject({ lanes, files: [] });
  });

  it('are the changed tests themselves', () => {
    const changed = ['test/unit/a.test.ts', 'test/api/b.test.ts', 'test/soak/c.test.ts'];
    expect(selectTests(changed, map)).toMatchObject({ related: changed, lanes: [], files: ['test/api/b.test.ts'] });
  });

  it('leave out a file whose lane runs whole', () => {
    expect(selectTests(['src/gateway/a.ts', 'src/dashboard/new.tsx'], map)).toMatchObject({
      lanes: ['browser'],
      files: ['test/api/rest/a.test.ts'],
    });
  });
});
