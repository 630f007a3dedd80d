import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../../../', import.meta.url);

/** Packages that would run code while they are installed, and why they work without it. */
const unneeded: Readonly<Record<string, string>> = {
  'node_modules/@apollo/protobufjs': 'only warns where a package.json asks for a range of its versions',
  'node_modules/protobufjs': 'the same, of which that is a fork',
};

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })),
});

describe('an installation', () => {
  it('runs no code of a package', () => {
    const settings = readFileSync(new URL('.npmrc', root), 'utf8').split('\n');
    expect(settings).toContain('ignore-scripts=true');
  });

  it('needs none of the scripts that packages have', () => {
    const lock = lockSchema.parse(JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')));
    const withScript = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(withScript.map(([path]) => path)).toEqual(Object.keys(unneeded));
  });
});
