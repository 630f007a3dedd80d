import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { Batch } from '../../../src/database/entities/index.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { ObjectChanges } from '../../../src/live/object-changes.ts';
import { BatchesService } from '../../../src/services/batches/batches.service.ts';
import { BatchWatcher, type BatchWatcherDependencies } from '../../../src/services/batches/batch-watcher.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { newAccount } from '../responses/given-response.ts';

const RECHECK_MS = 15_000;
const RETRY_MS = 2_000;

describeWithDatabase('the watcher of batches', (databases) => {
  let database: Database;
  let service: BatchesService;
  let clock: FakeClock;
  let changes: ObjectChanges;
  let accountId: string;
  let closing: AbortController;
  let createdAt = Date.now();

  beforeAll(async () => {
    database = await databases.open();
    const unused = (): never => expect.fail('The watcher stores no blob.');
    service = new BatchesService({
      database,
      blobs: { put: unused, get: unused, delete: unused },
      onCreated: () => undefined,
      onCancelled: () => undefined,
      onChanged: () => undefined,
      now: Date.now,
    });
  });

  beforeEach(async () => {
    await database.query('delete from batches');
    accountId = await newAccount(database);
    clock = new FakeClock();
    changes = new ObjectChanges({ kind: 'batches', bus: null, clock });
    closing = new AbortController();
  });

  afterEach(() => closing.abort());

  const watcher = (dependencies: Partial<BatchWatcherDependencies> = {}): BatchWatcher =>
    new BatchWatcher({ database, batches: service, changes, clock, ...dependencies });

  async function batch(endedMsAgo: number | null = null): Promise<string> {
    // Ids of one millisecond are in no order.
    const { eventId: id } = newEventIds(createdAt++);
    await database.query(
      `insert into batches (id, account_id, api_key_id, protocol, endpoint, status, total, created_at, expires_at, removed_after, ended_at)
       values ($1, $2, $1, 'anthropic', '/v1/messages', 'in_progress', 10, now(), now() + interval '1 day', now() + interval '30 days',
         now() - $3 * interval '1 millisecond')`,
      [id, accountId, endedMsAgo],
    );
    return id;
  }

  const succeed = (id: string, count: number): Promise<object[]> =>
    database.query('update batches set succeeded = $2 where id = $1', [id, count]);
  const end = (id: string): Promise<object[]> =>
    database.query("update batches set status = 'completed', succeeded = 10, ended_at = now() where id = $1", [id]);
  const shown = ({ value }: IteratorResult<Batch, unknown>): unknown => {
    const { id, succeeded, endedAt }: Batch = Object(value);
    return [id, succeeded, endedAt !== null];
  };

  it('sends the state of a batch, its changes, and ends with it', async () => {
    const [id, other] = [await batch(), await batch()];
    const states = watcher().watch(accountReach(accountId), id, closing.signal);
    expect(shown(await states.next())).toEqual([id, 0, false]);
    await succeed(id, 4);
    changes.changed(accountId, other);
    changes.changed(accountId, id);
    expect(shown(await states.next())).toEqual([id, 4, false]);
    await end(id);
    changes.changed(accountId, id);
    const last = states.next();
    await clock.whenPending(1);
    clock.advance(500);
    expect(shown(await last)).toEqual([id, 10, true]);
    expect(await states.next()).toMatchObject({ done: true });
  });

  it('sends one state of a batch that has ended, and ends where it is deleted', async () => {
    const [ended, deleted] = [await batch(3_600_000), await batch()];
    const over = watcher().watch(accountReach(accountId), ended, closing.signal);
    expect(shown(await over.next())).toEqual([ended, 0, true]);
    expect(await over.next()).toMatchObject({ done: true });
    const states = watcher().watch(accountReach(accountId), deleted, closing.signal);
    await states.next();
    await database.query('delete from batches where id = $1', [deleted]);
    changes.changed(accountId, deleted);
    expect(await states.next()).toMatchObject({ done: true });
  });

  it('sends all batches of an account that run or have just ended, then changes and new ones', async () => {
    const [old, recent, open] = [await batch(3_600_000), await batch(1_000), await batch()];
    const states = watcher().watchAll(accountReach(accountId), closing.signal);
    expect([shown(await states.next()), shown(await states.next())]).toEqual([
      [recent, 0, true],
      [open, 0, false],
    ]);
    const created = await batch();
    for (const id of [old, recent, created]) changes.changed(accountId, id);
    // An old one is sent because it changed; one that is as it was sent is not.
    expect([shown(await states.next()), shown(await states.next())]).toEqual([
      [old, 0, true],
      [created, 0, false],
    ]);
  });

  it('never sends batches of another account', async () => {
    const id = await batch();
    const stranger = await newAccount(database);
    const states = watcher().watchAll(accountReach(stranger), closing.signal);
    const next = states.next();
    await clock.whenPending(1);
    changes.changed(stranger, id);
    await clock.whenPending(2);
    closing.abort();
    expect(await next).toMatchObject({ done: true });
  });

  it('reads again what it was not told of: the end of a batch arrives after all', async () => {
    const id = await batch();
    const states = watcher().watchAll(accountReach(accountId), closing.signal);
    await states.next();
    await end(id);
    await database.query("update batches set ended_at = now() - interval '1 hour' where id = $1", [id]);
    const last = states.next();
    await clock.whenPending(1);
    clock.advance(RECHECK_MS);
    expect(shown(await last)).toEqual([id, 10, true]);
  });

  it('goes on once the database is available again', async () => {
    const id = await batch();
    let isDown = true;
    const states = watcher({
      batches: {
        byIds: (reach, ids) => {
          if (isDown) throw new SluiceError('database_unavailable');
          return service.byIds(reach, ids);
        },
      },
    }).watch(accountReach(accountId), id, closing.signal);
    const first = states.next();
    await clock.whenPending(1);
    isDown = false;
    clock.advance(RETRY_MS);
    expect(shown(await first)).toEqual([id, 0, false]);
  });
});
