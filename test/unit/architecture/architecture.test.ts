import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/errors/index.ts';
import { readsTime, usesSystemClock } from './clock-rule.ts';
import { breach } from './dependency-rule.ts';
import { retiredNamesIn } from './retired-names.ts';
import { importsOf, sourceFiles } from '../../harness/source-imports.ts';

const files = sourceFiles(fileURLToPath(new URL('../../../src', import.meta.url))).filter(
  ({ path }) => !path.startsWith('dashboard/generated/'),
);

const readsEnvironment = /\bprocess\??\.env\b|\bprocess\[|\bfrom '(node:)?process'|\{[^}]*\benv\b[^}]*\} = process\b/;

/** On the way of a request: V8 makes a hidden class for each such object, which holds its closures until a major collection. */
const accessorInLiteral = /^ {4,}(?:get|set) \w+\(/m;
const perRequest = /^(?:gateway\/(?:capabilities|request)|protocols|providers|rest)\//;

describe('the way of a request', () => {
  it('has no accessors but in classes', () => {
    const found = files.filter(({ path, text }) => perRequest.test(path) && accessorInLiteral.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
    expect(accessorInLiteral.test('  return {\n    get x() {')).toBe(true);
    expect(accessorInLiteral.test('class X {\n  get x() {')).toBe(false);
  });
});

describe('the dependency rule', () => {
  it('holds for every import', () => {
    const imports = files.flatMap(({ path, text }) => importsOf(path, text));
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.map(breach).filter((found) => found !== null)).toEqual([]);
  });

  it.each([
    ['rest/x.ts', `import { y } from '../graphql/y.ts';`],
    ['graphql/x.ts', `export { y } from '../rest/y.ts';`],
    ['gateway/x.ts', `import { y } from '../services/keys/y.ts';`],
    ['gateway/x.ts', `const y = await import('../database/y.ts');`],
    ['services/keys/x.ts', `import { y } from '../../gateway/y.ts';`],
    ['providers/one/x.ts', `import type { y } from '../two/y.ts';`],
    ['errors/x.ts', `import '../config/y.ts';`],
    ['services/audit/x.ts', `import type { y } from '../members/y.ts';`],
    ['services/x.ts', `import { y } from './keys/y.ts';`],
    ['services/new/x.ts', `import { y } from '../keys/y.ts';`],
    ['jobs/x.ts', `import type { y } from '../services/keys/y.ts';`],
    ['services/x.ts', `import type { Request } from 'express';`],
    ['services/x.ts', `import {\n  GraphQLError,\n} from 'graphql';`],
    ['gateway/x.ts', `import { request } from 'undici';`],
    ['graphql/x.ts', `import { EntityManager } from '@mikro-orm/postgresql';`],
    ['providers/one/x.ts', `const { Client } = await import('pg');`],
    ['rest/x.ts', `export * from '../database/y.ts';`],
    ['dashboard/x.tsx', `import { y } from '../errors/y.ts';`],
    ['dashboard/x.tsx', `import express from 'express';`],
    ['rest/x.ts', `import { useState } from 'react';`],
    ['app.ts', `import { y } from './dashboard/y.ts';`],
    ['somewhere/x.ts', `import { y } from '../errors/y.ts';`],
  ])('is breached by %s with %s', (path, text) => {
    expect(importsOf(path, text).map(breach)).toEqual([expect.any(String)]);
  });

  it.each([
    ['services/keys/x.ts', `import type { y } from '../../gateway/y.ts';`],
    ['services/keys/x.ts', `import { y } from '../accounts/y.ts';`],
    ['services/keys/x.ts', `import { y } from '../uuid.ts';`],
    ['providers/one/x.ts', `import { y } from '../shared/openai-compatible/y.ts';`],
    ['providers/one/x.ts', `import { y } from '../bridge/y.ts';`],
    ['main.ts', `import { y } from './gateway/y.ts';`],
    ['rest/x.ts', `import express from 'express';`],
    ['dashboard/pages/x.tsx', `import { createClient } from 'graphql-ws';`],
    ['storage/x.ts', `import type { EntityManager } from '@mikro-orm/postgresql';`],
  ])('allows %s with %s', (path, text) => {
    expect(importsOf(path, text).map(breach)).toEqual([null]);
  });
});

describe('the source', () => {
  it('reads the environment in one folder only', () => {
    expect(
      files
        .filter(({ path, text }) => !path.startsWith('config/') && readsEnvironment.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it.each([
    'const port = process.env.PORT;',
    `const port = process['env'].PORT;`,
    `import { env } from 'node:process';`,
    'const { env } = process;',
  ])('would not get away with %s', (text) => {
    expect(text).toMatch(readsEnvironment);
  });

  it('exports by name only', () => {
    expect(
      files.filter(({ text }) => /^export (default\b|\{[^}]*\bas default\b)/m.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  it('keeps its files short', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 420).map(({ path }) => path);
    expect(long).toEqual([]);
  });
});

describe('names', () => {
  it('are standard terms', () => {
    expect(files.flatMap(retiredNamesIn)).toEqual([]);
  });

  it.each([
    ['rest/x.ts', 'response.on("close", () => callerGone());'],
    ['services/x.ts', 'const MOST_BYTES = 5;'],
    ['gateway/x.ts', 'export interface Plan {'],
  ])('are not in %s: %s', (path, text) => {
    expect(retiredNamesIn({ path, text })).toHaveLength(1);
  });

  it.each([
    ['services/plans/x.ts', 'export interface Plan {'],
    ['gateway/x.ts', 'const plan = await readPlan();'],
  ])('may be in %s: %s', (path, text) => {
    expect(retiredNamesIn({ path, text })).toEqual([]);
  });
});

describe('the clock', () => {
  const timed = files.filter(({ path }) => !/^(dashboard|cli)\//.test(path));

  it('is the only reader of the time, and the only starter of timers', () => {
    expect(
      timed.filter(({ path, text }) => path !== 'calendar/clock.ts' && readsTime(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  it.each([
    'const at = Date.now();',
    'const clock = Date.now;',
    'const began = performance.now();',
    'setTimeout(run, 5);',
    'const timer = globalThis.setInterval(run, 5);',
    `import { setTimeout as delay } from 'node:timers/promises';`,
  ])('would be bypassed by %s', (text) => {
    expect(readsTime(text)).toBe(true);
  });

  it.each(['this.#clock.setTimeout(run, 5);', 'clock\n  .setInterval(run, 5)', 'clearTimeout(timer)', 'new Date(at)'])(
    'allows %s',
    (text) => {
      expect(readsTime(text)).toBe(false);
    },
  );

  it('is given to whoever depends on it, but for a few', () => {
    expect(timed.map(usesSystemClock).filter((found) => found !== null)).toEqual([]);
  });

  it.each(['const at = systemClock.now();', 'systemClock\n  .setTimeout(run, 5)'])('is not given by %s', (text) => {
    expect(usesSystemClock({ path: 'services/x.ts', text })).toEqual(expect.any(String));
    expect(usesSystemClock({ path: 'composition/serve.ts', text })).toBeNull();
  });
});

describe('the error catalogue', () => {
  it('holds no code that nothing throws', () => {
    const used = files
      .filter(({ path }) => path !== 'errors/catalogue.ts')
      .map(({ text }) => text)
      .join('\n');
    expect(Object.keys(catalogue).filter((code) => !used.includes(`'${code}'`))).toEqual([]);
  });
});
