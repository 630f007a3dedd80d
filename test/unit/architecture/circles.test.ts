import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { circlesOf, fileGraph, folderGraph } from './circles.ts';
import { importsOf, sourceFiles } from '../../harness/source-imports.ts';

const imports = sourceFiles(fileURLToPath(new URL('../../../src', import.meta.url)))
  .filter(({ path }) => !path.startsWith('dashboard/generated/'))
  .flatMap(({ path, text }) => importsOf(path, text));

describe('imports', () => {
  it('form no circle of files', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(circlesOf(fileGraph(imports))).toEqual([]);
  });

  it.each(['', 'gateway', 'services', 'providers', 'protocols', 'rest', 'graphql'])(
    'form no circle of folders in src/%s',
    (parent) => {
      expect(circlesOf(folderGraph(imports, parent))).toEqual([]);
    },
  );
});

describe('a circle', () => {
  const texts = {
    'a/x.ts': `import { y } from '../b/y.ts';`,
    'b/y.ts': `import type { z } from './deep/z.ts';\nimport '../c/c.ts';`,
    'b/deep/z.ts': `const x = await import('../../a/x.ts');`,
    'c/c.ts': `import { d } from './d.ts';`,
    'c/d.ts': `import 'zod';`,
    'main.ts': `import './a/x.ts';`,
  };
  const found = Object.entries(texts).flatMap(([path, text]) => importsOf(path, text));

  it('is found among files, with imports of types and at run time', () => {
    expect(circlesOf(fileGraph(found))).toEqual([['a/x.ts', 'b/deep/z.ts', 'b/y.ts']]);
  });

  it('is found among folders, to which their subfolders belong', () => {
    expect(circlesOf(folderGraph(found, ''))).toEqual([['a', 'b']]);
    expect(circlesOf(folderGraph(found, 'b'))).toEqual([]);
  });
});
