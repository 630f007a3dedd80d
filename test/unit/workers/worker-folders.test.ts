import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adoptFolders, IDEMPOTENCY, JOURNALS } from '../../../src/composition/worker-folders.ts';
import { ClaimLog, type ClaimLine } from '../../../src/gateway/idempotency/claim-log.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const log = { info: () => undefined };
const scope = 'scope'.padEnd(43, '-');

describe('folders of processes that do not run any more', () => {
  let dataDir: string;
  let clock: FakeClock;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'sluice-folders-'));
    clock = new FakeClock();
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  function writeClaim(folder: string): void {
    const claims = new ClaimLog(join(folder, IDEMPOTENCY), clock, () => undefined);
    const accountId = '00000000-0000-4000-8000-0000000000aa';
    claims.append('C', scope, ['print', Date.now().toString(36), accountId], null);
    claims.close();
  }

  function claimedIn(folder: string): string[] {
    const lines: ClaimLine[] = [];
    new ClaimLog(join(folder, IDEMPOTENCY), clock, (line) => lines.push(line)).close();
    return lines.filter(({ mark }) => mark === 'C').map((line) => line.scope);
  }

  it('are adopted with their journals and idempotency keys', async () => {
    const left = join(dataDir, 'worker-1');
    writeClaim(left);
    mkdirSync(join(left, JOURNALS.usage));
    writeFileSync(join(left, JOURNALS.usage, '0000000001.jsonl'), '');
    await adoptFolders(dataDir, null, 0, log);
    expect(existsSync(join(dataDir, JOURNALS.usage, '0000000001.jsonl'))).toBe(true);
    expect(claimedIn(dataDir)).toEqual([scope]);
    expect(existsSync(join(left, IDEMPOTENCY))).toBe(false);
  });

  it('are adopted after an adoption that was killed between journals and idempotency keys', async () => {
    for (const place of [{ slot: 0, count: 2 }, null]) {
      writeClaim(join(dataDir, 'worker-5'));
      await adoptFolders(dataDir, place, 0, log);
      expect(claimedIn(place === null ? dataDir : join(dataDir, 'worker-0'))).toEqual([scope]);
    }
  });
});
