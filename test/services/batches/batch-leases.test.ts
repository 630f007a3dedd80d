import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import type { LeasedBatch, LineRetry } from '../../../src/gateway/batches/batch.ts';
import type { ProviderBatch } from '../../../src/gateway/batches/provider/provider-batch.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { StoredProviderBatches } from '../../../src/services/batches/provider-batch-store.ts';
import { BatchLeases } from '../../../src/services/batches/batch-leases.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';
import { newAccount } from '../responses/given-response.ts';

const LEASE_MS = 60_000;
const ENDED_MS = -1_000;

describeWithDatabase('the leases of batches', (databases) => {
  let database: Database;
  let leases: BatchLeases;
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
    leases = new BatchLeases(database);
  });

  beforeEach(async () => {
    await database.query('delete from batches');
    accountId = await newAccount(database);
  });

  async function batch(account = accountId): Promise<string> {
    const { eventId: id } = newEventIds();
    await database.query(
      `insert into batches (id, account_id, api_key_id, protocol, endpoint, status, total, created_at, expires_at, removed_after)
       values ($1, $2, $1, 'anthropic', '/v1/messages', 'in_progress', 10, now(), now() + interval '1 day', now() + interval '30 days')`,
      [id, account],
    );
    return id;
  }

  async function claimed(leaseMs = LEASE_MS): Promise<LeasedBatch> {
    const found = await leases.claim(leaseMs, []);
    if (found === null) return expect.fail('no batch');
    return found;
  }

  const sentBatch = (total: number): ProviderBatch => ({
    id: newEventIds().eventId,
    connectionId: 'openai',
    model: 'openai/m',
    upstreamModel: 'm',
    kind: '/v1/embeddings',
    stage: 'collecting',
    total,
    bytes: 15,
    reservedNano: 0n,
    uploadId: null,
    externalId: null,
    creatingSince: null,
    isCancelled: false,
    counts: { succeeded: 0, failed: 0 },
    createdAt: Date.now(),
  });

  const retry = (line: number, attempt: number, beganAt: number): LineRetry => ({
    line,
    attempt,
    beganAt,
    failures: 0,
    retryAt: null,
    lastError: null,
  });

  const result = (line: number, isSuccess = true) => ({ line, isSuccess, result: `{"line":${line}}` });

  it('are of one process at a time, and refuse what an earlier holder writes', async () => {
    await batch();
    const first = await claimed(ENDED_MS);
    const second = await claimed();
    expect(second.token).toBe(first.token + 1);
    expect(await leases.claim(LEASE_MS, [])).toBeNull();
    expect(await leases.record(first, [result(0)])).toBe(false);
    expect(await leases.retry(first, retry(0, 1, Date.now()))).toBe(false);
    expect(await leases.advance(first, { offset: 10, line: 1 })).toBeNull();
    expect(await leases.renew(first, LEASE_MS)).toBeNull();
    await leases.release(first);
    expect(await leases.claim(LEASE_MS, [])).toBeNull();
    expect(await leases.record(second, [result(0)])).toBe(true);
    expect(await leases.results(second, -1, 10)).toEqual([result(0)]);
  });

  it('keep the time of lines that a dead process may have run, and renew it after a turn that ended', async () => {
    await batch();
    const first = await claimed(ENDED_MS);
    const afterDeath = await claimed();
    expect([afterDeath.isFresh, afterDeath.linesBeganAt]).toEqual([false, first.linesBeganAt]);
    await leases.release(afterDeath);
    const afterTurn = await claimed();
    expect(afterTurn.isFresh).toBe(true);
    expect(afterTurn.linesBeganAt).toBeGreaterThanOrEqual(first.linesBeganAt);
  });

  it('count each result once, and keep the first', async () => {
    const id = await batch();
    const held = await claimed();
    await leases.record(held, [result(0), result(1, false)]);
    await leases.record(held, [{ ...result(1), result: 'other' }, result(2)]);
    expect(await leases.results(held, 0, 10)).toEqual([result(1, false), result(2)]);
    const [counts] = await database.query('select succeeded, errored from batches where id = $1', [id]);
    expect(counts).toEqual({ succeeded: 2, errored: 1 });
  });

  it('store that a line runs again, until it has a result', async () => {
    await batch();
    const held = await claimed();
    const at = Date.now();
    expect(await leases.retry(held, retry(3, 1, at))).toBe(true);
    expect(await leases.lines(held, 0, 10)).toMatchObject([{ line: 3, attempt: 1, beganAt: at, isDone: false }]);
    await leases.record(held, [result(3)]);
    expect(await leases.retry(held, retry(3, 2, at))).toBe(false);
    expect(await leases.lines(held, 0, 10)).toMatchObject([{ line: 3, attempt: 1, beganAt: at, isDone: true }]);
    expect(await leases.lines(held, 0, 3)).toEqual([]);
  });

  it('keep how often and why a line has failed, and when it may run again, for the next process', async () => {
    await batch();
    const held = await claimed();
    const at = Date.now();
    const failed = { ...retry(3, 2, at), failures: 2, retryAt: at + 4_000, lastError: 'It was \0 overloaded.' };
    await leases.retry(held, failed);
    await leases.retry(held, { ...failed, line: 7 });
    expect(await leases.lines(held, 3, 4)).toMatchObject([{ line: 3, failures: 2, retryAt: at + 4_000 }]);
    await leases.retry(held, { ...retry(3, 3, at), failures: 2 });
    expect(await leases.lines(held, 3, 4)).toMatchObject([{ line: 3, attempt: 3, failures: 2, retryAt: null }]);
    const message = 'It was  overloaded.';
    expect(await leases.failures(held, -1, 1)).toEqual([{ line: 3, message }]);
    expect(await leases.failures(held, 3, 1)).toEqual([{ line: 7, message }]);
    await leases.record(held, [result(3)]);
    expect(await leases.failures(held, -1, 10)).toEqual([{ line: 7, message }]);
  });

  it('read results in pages of some bytes, each with one line or more', async () => {
    await batch();
    const held = await claimed();
    const lengths = [5_000_000, 5_000_000, 9_000_000, 1, 1];
    const results = lengths.map((length, line) => ({ line, isSuccess: true, result: 'x'.repeat(length) }));
    await leases.record(held, results);
    const pages: number[][] = [];
    for (let after = -1; after < 4;) {
      const page = await leases.results(held, after, 10);
      pages.push(page.map(({ line }) => line));
      after = page.at(-1)?.line ?? Infinity;
    }
    expect(pages).toEqual([[0, 1], [2], [3, 4]]);
    expect(await leases.results(held, 2, 1)).toEqual([results[3]]);
    expect(await leases.results(held, 4, 10)).toEqual([]);
  });

  it('tell the length of a response of a provider, which is read alone', async () => {
    await batch();
    const held = await claimed();
    const providerBatches = new StoredProviderBatches(database, leases);
    const given = sentBatch(3);
    const { id } = given;
    const parts = ['a', 'b', 'c'].map((letter) => letter.repeat(9_000_000));
    const beganAt = Date.now();
    const lines = parts.map((part, line) => ({ line, providerBatchId: id, part, beganAt }));
    expect(await providerBatches.collect(held, lines, [given])).toBe(true);
    const read: string[] = [];
    for await (const part of providerBatches.parts(id)) read.push(part);
    expect(read.map((part) => [part[0], part.length])).toEqual(parts.map((part) => [part[0], part.length]));
    const body = '{"text":"ü"}';
    await providerBatches.respond(held, id, [{ line: 1, status: 201, body }]);
    expect(await leases.lines(held, 0, 3)).toMatchObject([
      { line: 0, answerBytes: null },
      { line: 1, answerBytes: Buffer.byteLength(body), providerBatchId: id },
      { line: 2, answerBytes: null },
    ]);
    expect(await leases.answer(held, 0)).toBeNull();
    expect(await leases.answer(held, 1)).toEqual({ status: 201, body });
    await leases.record(held, [result(1)]);
    expect(await leases.answer(held, 1)).toBeNull();
  });

  it('count what providers report, until the results are here', async () => {
    const id = await batch();
    const held = await claimed();
    const changes: unknown[] = [];
    const providerBatches = new StoredProviderBatches(database, leases, (...change) => void changes.push(change));
    const [first, second] = [sentBatch(3), sentBatch(1)];
    const lines = [first, first, first, second].map((each, line) => ({
      line,
      providerBatchId: each.id,
      part: '{}',
      beganAt: Date.now(),
    }));
    await providerBatches.collect(held, lines, [first, second]);
    const counts = async (): Promise<object | undefined> => {
      const text = `
        select provider_succeeded as "remote", provider_errored as "remoteErrors", succeeded, errored
        from batches where id = $1`;
      return (await database.query<object>(text, [id]))[0];
    };
    await providerBatches.change(held, first.id, { counts: { succeeded: 1, failed: 0 } });
    await providerBatches.change(held, second.id, { counts: { succeeded: 1, failed: 0 } });
    await providerBatches.change(held, first.id, { counts: { succeeded: 2, failed: 1 } });
    expect(await counts()).toEqual({ remote: 3, remoteErrors: 1, succeeded: 0, errored: 0 });
    const listed = (await providerBatches.list(held)).find((each) => each.id === first.id);
    expect(listed?.counts).toEqual({ succeeded: 2, failed: 1 });
    expect(changes).toEqual([1, 2, 3].map(() => [accountId, id]));
    // Line 7 is none of theirs.
    await leases.record(held, [result(0), result(7)]);
    expect(await counts()).toEqual({ remote: 2, remoteErrors: 1, succeeded: 2, errored: 0 });
    // The provider has reported one error, and there are two.
    await leases.record(held, [result(1, false), result(2, false)]);
    expect(await counts()).toEqual({ remote: 1, remoteErrors: 0, succeeded: 2, errored: 2 });
    await leases.record(held, [result(3)]);
    expect(await counts()).toEqual({ remote: 0, remoteErrors: 0, succeeded: 3, errored: 2 });
    const lost = { ...held, token: held.token - 1 };
    expect(await providerBatches.change(lost, first.id, { counts: { succeeded: 3, failed: 0 } })).toBe(false);
    expect(changes).toHaveLength(3);
  });

  it('find runs that are recorded as failed', async () => {
    const [failed, succeeded] = [usageRecord({ status: 'failed' }), usageRecord()];
    await new UsageStore(database, (_row, error) => expect.fail(String(error))).store(
      rowsJson([failed, succeeded]),
      '[]',
    );
    const at = ({ began_at: beganAt }: UsageRecord): number => Date.parse(beganAt);
    const batchOf = ({ account_id: account }: UsageRecord): { accountId: string } => ({ accountId: account });
    expect(await leases.hasFailed(batchOf(failed), failed.event_id, at(failed))).toBe(true);
    expect(await leases.hasFailed({ accountId: randomUUID() }, failed.event_id, at(failed))).toBe(false);
    expect(await leases.hasFailed(batchOf(succeeded), succeeded.event_id, at(succeeded))).toBe(false);
    expect(await leases.hasFailed(batchOf(failed), failed.event_id, at(failed) + 1)).toBe(false);
  });

  it('leave a batch that waits for providers alone, unless it is cancelled', async () => {
    const id = await batch();
    const held = await claimed();
    await leases.waitFor(held, LEASE_MS);
    await leases.release(held);
    expect(await leases.claim(LEASE_MS, [])).toBeNull();
    await database.query('update batches set cancel_asked_at = clock_timestamp() where id = $1', [id]);
    expect(await claimed()).toMatchObject({ id, isCancelled: true });
  });

  it('serve batches in turn, those of other accounts first', async () => {
    const [first, second] = [await batch(), await batch()];
    const other = await batch(await newAccount(database));
    expect((await leases.claim(LEASE_MS, [accountId]))?.id).toBe(other);
    const turn = await claimed();
    await leases.release(turn);
    expect(new Set([turn.id, (await claimed()).id])).toEqual(new Set([first, second]));
  });

  it('say that a batch is to be cancelled', async () => {
    const id = await batch();
    const held = await claimed();
    expect(await leases.renew(held, LEASE_MS)).toEqual({ isCancelled: false });
    await database.query('update batches set cancel_asked_at = now() where id = $1', [id]);
    expect(await leases.renew(held, LEASE_MS)).toEqual({ isCancelled: true });
  });
});
