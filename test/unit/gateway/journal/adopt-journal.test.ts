import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { adoptJournal, mergeAdopted } from '../../../../src/gateway/usage/journal/adopt-journal.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-adopt-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function journal(name: string, segments: Readonly<Record<string, string>>): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [segment, text] of Object.entries(segments))
    writeFileSync(join(folder, `000000000${segment}.jsonl`), text);
  return folder;
}

/** The content of its segments, in their order. */
function contentOf(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

it('appends the segments of an adopted journal in their order', () => {
  const own = journal('own', { 3: 'own 3', 4: 'own 4' });
  const other = journal('other', { 1: 'other 1', 2: 'other 2' });
  expect(adoptJournal(other, own)).toBe(true);
  mergeAdopted(own);
  expect(contentOf(own)).toEqual(['own 3', 'own 4', 'other 1', 'other 2']);
  expect(existsSync(other)).toBe(false);
});

it('completes an adoption that a kill interrupted, also in a journal that is itself adopted', () => {
  const own = journal('own', { 1: 'own 1' });
  const other = journal('other', { 5: 'other 5' });
  const third = journal('third', { 1: 'third 1', 2: 'third 2' });
  // Killed after the rename: the third belongs to the other.
  adoptJournal(third, other);
  adoptJournal(other, own);
  mergeAdopted(own);
  expect(contentOf(own)).toEqual(['own 1', 'other 5', 'third 1', 'third 2']);
});

it('adopts nothing where there is no journal', () => {
  expect(adoptJournal(join(root, 'none'), join(root, 'own'))).toBe(false);
  expect(() => mergeAdopted(join(root, 'own'))).not.toThrow();
  expect(existsSync(join(root, 'own'))).toBe(false);
});
