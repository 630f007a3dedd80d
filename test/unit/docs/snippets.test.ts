import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { snippets, type Snippet } from '../../harness/docs.ts';

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));

/** @returns syntax errors, by language */
const checks: Readonly<Record<string, (code: string) => unknown>> = {
  graphql: (code) => validate(schema, parse(code)),
  json: (code) => void JSON.parse(code),
  yaml: (code) => void parseYaml(code),
  toml: (code) => code.split('\n').filter((line) => !isTomlLine(line)),
  sh: (code) => void execFileSync('bash', ['-n', '-c', code]),
  ts: (code) => void new Script(`async () => {${stripTypeScriptTypes(code)}}`),
  js: (code) => void new Script(`async () => {${code}}`),
};

/** Of the TOML that the pages use: names of tables, and members with texts, which are those of JSON. */
function isTomlLine(line: string): boolean {
  return /^(?:|\[\w+(?:\.\w+)*\]|\w+ = "(?:[^"\\]|\\["\\nt])*")$/.test(line);
}

describe('a snippet of the documentation', () => {
  it('is run by a test, or says what it needs', () => {
    const neither = snippets.filter(({ name, needs }) => name === undefined && needs === undefined);
    expect(neither).toEqual([]);
  });

  it('has a name of its own, or is the same everywhere', () => {
    const codes = new Map<string, Set<string>>();
    for (const { name, code } of snippets)
      if (name !== undefined) codes.set(name, (codes.get(name) ?? new Set()).add(code));
    expect([...codes].filter(([, { size }]) => size > 1).map(([name]) => name)).toEqual([]);
  });

  const untested = snippets.filter((each): each is Snippet & { readonly needs: string } => each.needs !== undefined);
  it.each(untested)('in $page that needs $needs is valid', ({ language, code }) => {
    const check = checks[language];
    if (check === undefined) throw new Error(`no check of the language ${language}`);
    expect(check(code) ?? []).toEqual([]);
  });
});
