import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { newLane } from '../../../src/gateway/comparisons/lane-state.ts';
import { ComparisonRows } from '../../../src/services/comparisons/comparison-rows.ts';
import { allTexts } from '../../../src/services/comparisons/comparison-views.ts';
import { statementsOf } from '../../harness/count-statements.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { key } from '../../harness/gateway.ts';

const LONG = 'x'.repeat(25_000);

describeWithDatabase('texts of comparisons', (databases) => {
  let rows: ComparisonRows;
  let database: Database;
  let accountId: string;
  const ids = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    database = await databases.open();
    rows = new ComparisonRows(database);
    const em = database.em();
    const account = em.create(Account, { name: 'A', createdAt: new Date() });
    await em.flush();
    accountId = account.id;
    const call = { id: null, name: 'look', arguments: LONG };
    for (const id of ids) {
      const lanes = ['a/a', 'b/b'].map((model, position) => ({
        ...newLane(position, model, 'req'),
        output: LONG,
        reasoning: 'because',
        toolCalls: position === 0 ? [call] : [{ ...call, arguments: '{}' }],
      }));
      const question = { prompt: LONG, messages: [{ role: 'user', content: LONG }] };
      const given = { kind: 'chat', name: null, models: ['a/a', 'b/b'], question } as const;
      await rows.begin(id, { ...key, id: randomUUID(), accountId, memberId: null }, given, lanes);
    }
  });

  it('are complete for a single comparison, as far as requested', async () => {
    const [id = ''] = ids;
    const whole = await rows.get(accountId, id, allTexts);
    expect(whole.question.messages).toHaveLength(1);
    expect(whole.lanes.map(({ output, toolCalls }) => [output.length, toolCalls[0]?.arguments.length])).toEqual([
      [25_000, 25_000],
      [25_000, 2],
    ]);
    const some = await rows.get(accountId, id, new Set(['reasoning'] as const));
    expect(some.lanes.map(({ model, output, reasoning, toolCalls }) => [model, output, reasoning, toolCalls])).toEqual([
      ['a/a', '', 'because', []],
      ['b/b', '', 'because', []],
    ]);
  });

  it('are truncated in lists', async () => {
    const { views } = await rows.list(accountId, {}, 10, null, false, allTexts);
    expect(views).toHaveLength(2);
    for (const { question, lanes } of [...views, ...(await rows.byIds(accountId, ids, allTexts))]) {
      expect(question).toEqual({ prompt: LONG.slice(0, 10_000) });
      expect(lanes.map(({ output, reasoning, toolCalls }) => [output.length, reasoning, toolCalls.length])).toEqual([
        [10_000, 'because', 0],
        [10_000, 'because', 1],
      ]);
    }
  });

  it('are not read unless requested', async () => {
    const sent = await statementsOf(() => rows.list(accountId, {}, 10, null, false, new Set()));
    if (database.kind === 'server') expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((text) => /tool_calls|"(output|reasoning)"|left\((output|reasoning)/.test(text))).toEqual([]);
  });
});
