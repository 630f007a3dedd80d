import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { lanes } from '../../harness/lanes.ts';

const tests = fileURLToPath(new URL('../..', import.meta.url));

it('each test file stands in the folder of a lane, which alone runs it', () => {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'));
  const own = files.filter((path) => !path.includes('node_modules/'));
  expect(own.filter((path) => !lanes.some((lane) => path.startsWith(`${lane}/`)))).toEqual([]);
});
