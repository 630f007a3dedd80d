import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { noFileIn, whenNamesIn } from '../../harness/folder-changes.ts';

it('files are waited for until they are there, and until they are gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await noFileIn(folder);
  const waiting = whenNamesIn(folder, ({ length }) => length === 2);
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), name);
  await waiting;
  let isEmpty = false;
  const emptied = noFileIn(folder).then(() => (isEmpty = true));
  rmSync(join(folder, 'a'));
  await whenNamesIn(folder, (names) => names.join() === 'b');
  expect(isEmpty).toBe(false);
  rmSync(join(folder, 'b'));
  await emptied;
});
