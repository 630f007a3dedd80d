import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { publicConversationId } from '../../../src/services/conversations/conversation-id.ts';
import { ConversationsService } from '../../../src/services/conversations/conversations.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { newAccount } from '../responses/given-response.ts';

describeWithDatabase('conversations', (databases) => {
  let database: Database;
  let accountId: string;
  const apiKeyId = randomUUID();
  const page = { limit: 100, order: 'asc', after: null } as const;
  const item = (id: string) => ({ id, type: 'message', role: 'user', content: id });

  beforeAll(async () => {
    database = await databases.open();
    accountId = await newAccount(database);
  });

  it('keep the order of items, and each once', async () => {
    const service = new ConversationsService({ database, log: { warn: () => undefined } });
    const reach = { accountId, apiKeyId };
    const { id, createdAt } = await service.create(reach, { a: 'b' }, [item('z'), item('a'), item('z')]);
    const name = publicConversationId(id);
    expect(Math.abs(createdAt - Date.now() / 1_000)).toBeLessThan(600);
    await service.add(reach, name, [item('a'), item('m')]);
    const { items } = await service.items(reach, name, page);
    expect(items.map((each) => each.id)).toEqual(['z', 'a', 'm']);
    expect((await service.content(reach, name)).map((each) => each.id)).toEqual(['z', 'a', 'm']);
  });

  it('receive the items of an event once, which a repeated request does not read', async () => {
    const service = new ConversationsService({ database, log: { warn: () => undefined } });
    const reach = { accountId, apiKeyId };
    const { id } = await service.create(reach, {}, [item('before')]);
    const name = publicConversationId(id);
    const eventId = randomUUID();
    await service.addSoon(accountId, name, eventId, [item('asked'), item('answered')]);
    await service.addSoon(accountId, name, eventId, [item('asked again'), item('answered again')]);
    await service.addSoon(accountId, name, randomUUID(), [item('next')]);
    const idsOf = async (event: string | null): Promise<string[]> =>
      (await service.content(reach, name, event)).map((each) => each.id);
    expect(await idsOf(null)).toEqual(['before', 'asked', 'answered', 'next']);
    expect(await idsOf(eventId)).toEqual(['before', 'next']);
  });

  it('receive the items of responses once the database is back, before the next request reads them', async () => {
    const clock = new FakeClock();
    const warnings: string[] = [];
    let isAway = false;
    const away: Pick<Database, 'query' | 'transaction'> = {
      query: (...given) => database.query(...given),
      transaction: (work) => {
        if (!isAway) return database.transaction(work);
        return Promise.reject(Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }));
      },
    };
    const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
    const service = new ConversationsService({ database: away, log, clock });
    const reach = { accountId, apiKeyId };
    const { id } = await service.create(reach, {}, []);
    isAway = true;
    void service.addSoon(accountId, publicConversationId(id), null, [item('one')]);
    void service.addSoon(accountId, publicConversationId(id), null, [item('two')]);
    await clock.whenPending(1);
    const reading = service.content(reach, publicConversationId(id));
    isAway = false;
    clock.advance(5_000);
    expect((await reading).map((each) => each.id)).toEqual(['one', 'two']);
    expect(warnings).toHaveLength(1);
    await service.close();
  });
});
