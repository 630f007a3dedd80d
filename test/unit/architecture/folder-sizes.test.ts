import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MAX_FILES = 16;

/** Folders that hold one kind: a file per thing, each like the others. */
const ofOneKind: Readonly<Record<string, string>> = {
  'dashboard/design': 'a file per part of the interface',
  'database/entities': 'a file per table',
  'providers/openai-compatible': 'a file per provider',
};

describe('a folder', () => {
  it('holds few files, or one kind of them', () => {
    const sizes = sizesOf(
      globSync('**/*.*', { cwd: fileURLToPath(new URL('../../../src', import.meta.url)) }).filter(
        (path) => !path.startsWith('dashboard/generated/'),
      ),
    );
    expect(sizes.size).toBeGreaterThan(100);
    const large = [...sizes].filter(([, size]) => size > MAX_FILES).map(([folder]) => folder);
    expect(large.toSorted()).toEqual(Object.keys(ofOneKind).toSorted());
  });

  it('is counted without its subfolders', () => {
    expect([...sizesOf(['a/x.ts', 'a/y.css', 'a/b/z.ts', 'main.ts'])]).toEqual([
      ['a', 2],
      ['a/b', 1],
      ['.', 1],
    ]);
  });
});

function sizesOf(paths: readonly string[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const path of paths) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return sizes;
}
