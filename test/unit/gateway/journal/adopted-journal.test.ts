import { appendFileSync, mkdtempSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { AdoptedJournal, journalBytes } from '../../../../src/gateway/usage/journal/adopted-journal.ts';
import { CommonMembers } from '../../../../src/gateway/usage/journal/common-members.ts';
import { references } from '../../../../src/gateway/usage/journal/journal-lines.ts';
import { UsageJournal } from '../../../../src/gateway/usage/journal/usage-journal.ts';
import { wholeRows } from '../../../harness/journal-rows.ts';

const quiet = { error: () => undefined, info: () => undefined };
const waiter = { onDurable: () => undefined, onJournalFailure: () => undefined };
const newEventId = (): string => newEventIds().eventId;
let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-adopted-'));
  folder = join(root, 'journal');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What a process left: a settled request, one that was not settled, and half a line. */
function leave(into: string): { readonly settled: string; readonly begun: string } {
  const journal = new UsageJournal(into, quiet);
  const [settled, begun] = [newEventId(), newEventId()];
  const common = new CommonMembers(',"account_id":"an account"');
  const line = (id: string, more: string): string => {
    const number = journal.refer(common);
    return `{"event_id":"${id}"${references(number, number)}${more}}`;
  };
  const segment = journal.begin(line(settled, ',"input_tokens":1'), waiter);
  journal.appendSettleRecord(line(settled, ',"status":"succeeded"'), segment, waiter);
  journal.begin(line(begun, ',"input_tokens":7'), waiter);
  journal.close();
  const [name = ''] = readdirSync(into);
  appendFileSync(join(into, name), `S{"event_id":"${newEventId()}","stat`);
  return { settled, begun };
}

function memory() {
  const rows = new Map<string, Readonly<Record<string, unknown>>>();
  let calls = 0;
  return {
    rows,
    /** Fails from the call of this number on. */
    failAt: Infinity,
    async store(json: Buffer, commons: string) {
      if (++calls >= this.failAt) throw new Error('the database is away');
      for (const row of wholeRows(JSON.parse(json.toString()), JSON.parse(commons)))
        if (!rows.has(row.event_id)) rows.set(row.event_id, row);
    },
    onCorrupt: (record: string) => expect.fail(record),
  };
}

it('is stored with the requests that its process did not settle, and is then removed', async () => {
  const { settled, begun } = leave(folder);
  const journal = new AdoptedJournal(folder);
  const sink = memory();
  expect(await journal.replay(sink)).toBe(1);
  expect([...sink.rows.values()]).toMatchObject([
    { event_id: settled, status: 'succeeded', account_id: 'an account' },
    { event_id: begun, status: 'interrupted', account_id: 'an account', input_tokens: 7, estimated: true },
  ]);
  journal.remove();
  expect(journalBytes(folder)).toBe(0);
});

it('is as it was after a replay that failed, and is stored once by the next', async () => {
  leave(folder);
  const bytes = journalBytes(folder);
  const sink = memory();
  sink.failAt = 2;
  const first = new AdoptedJournal(folder);
  await expect(first.replay(sink)).rejects.toThrow('the database is away');
  first.close();
  expect(journalBytes(folder)).toBe(bytes);
  sink.failAt = Infinity;
  const next = new AdoptedJournal(folder);
  expect(await next.replay(sink)).toBe(1);
  next.close();
  expect([...sink.rows.values()].map(({ status }) => status)).toEqual(['succeeded', 'interrupted']);
});

it('is not replayed further once it is aborted', async () => {
  leave(folder);
  const journal = new AdoptedJournal(folder);
  const sink = memory();
  await expect(journal.replay(sink, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  journal.close();
  expect(sink.rows.size).toBe(0);
});

it('includes the journal that its process was adopting when it was killed', async () => {
  leave(folder);
  const another = join(root, 'another');
  leave(another);
  renameSync(another, join(folder, 'adopted-0'));
  const journal = new AdoptedJournal(folder);
  const sink = memory();
  expect(await journal.replay(sink)).toBe(2);
  expect(sink.rows.size).toBe(4);
  journal.remove();
  expect(journalBytes(folder)).toBe(0);
});

it('lets other work run between its parts', async () => {
  const bytes = 3_000_000;
  const journal = new UsageJournal(folder, quiet);
  const record = `{"event_id":"${newEventId()}","filler":"${'x'.repeat(1_000)}"}`;
  const segment = journal.begin(record, waiter);
  for (let written = 0; written < bytes; written += record.length) journal.checkpoint(record, segment);
  journal.close();
  let [turns, isDone] = [0, false];
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const adopted = new AdoptedJournal(folder);
  expect(await adopted.replay(memory())).toBe(1);
  isDone = true;
  adopted.close();
  expect(turns).toBeGreaterThan(4);
});

it('is empty where there is none', async () => {
  expect(journalBytes(folder)).toBe(0);
  mkdirSync(folder);
  expect(await new AdoptedJournal(folder).replay(memory())).toBe(0);
});

it('leaves files of a later process alone', () => {
  const paused = new UsageJournal(folder, quiet);
  const adopted = new AdoptedJournal(folder);
  adopted.remove();
  const later = new UsageJournal(folder, quiet);
  later.appendSettleWithoutBegin(`{"event_id":"${newEventId()}"}`);
  later.flush();
  const bytes = journalBytes(folder);
  paused.appendSettleWithoutBegin(`{"event_id":"${newEventId()}"}`);
  paused.rotate();
  for (const segment of paused.segments) segment.drained = segment.size;
  paused.removeDrained();
  paused.close();
  expect(journalBytes(folder)).toBe(bytes);
  later.close();
});
