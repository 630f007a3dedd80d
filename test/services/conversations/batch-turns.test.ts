import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchResponses } from '../../../src/gateway/batches/open-response.ts';
import type { Call } from '../../../src/gateway/call.ts';
import { requestIdOf } from '../../../src/gateway/event-id.ts';
import { publicConversationId, readConversationId } from '../../../src/services/conversations/conversation-id.ts';
import { ConversationsService } from '../../../src/services/conversations/conversations.service.ts';
import { responseNames } from '../../../src/services/responses/response-id.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { completion, json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { startGateway, type TestGateway } from '../../harness/gateway.ts';
import { newAccount } from '../responses/given-response.ts';

const recorded = JSON.parse(
  readFileSync(new URL('../../fixtures/providers/openai-responses/openai-phase.1.json', import.meta.url), 'utf8'),
) as { output: object[] };

describeWithDatabase('the turn of a batch line in a conversation', (databases) => {
  let conversations: ConversationsService;
  let accountId: string;
  let provider: FakeProvider;
  let gateway: TestGateway;

  beforeAll(async () => {
    const database = await databases.open();
    accountId = await newAccount(database);
    conversations = new ConversationsService({ database, log: { warn: () => undefined } });
    provider = await startFakeProvider();
    gateway = await startGateway({
      openai: provider.url,
      providers: { xai: { baseUrl: provider.url, options: { api: 'responses' } } },
      key: { accountId },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
    await conversations.close();
  });

  it.each([
    ['converted', 'openai/gpt-4.1-mini', () => completion()],
    ['relayed', 'xai/grok-4', () => json(200, { ...recorded, id: `resp_${randomUUID()}`, output: renamed() })],
  ])('is added once before the line ends, also if it runs again after a crash: %s', async (_name, model, script) => {
    const reach = { accountId, apiKeyId: null };
    const { id } = await conversations.create({ accountId, apiKeyId: gateway.key.id }, {}, [
      { id: 'msg_before', type: 'message', role: 'user', content: 'My name is Ada.' },
    ]);
    const conversation = publicConversationId(id);
    const open = batchResponses({
      pipeline: gateway.pipeline,
      objects: { find: async () => new Map(), record: () => undefined },
      names: responseNames,
      earlier: { needs: () => false, resolve: () => expect.fail(), conversation: () => expect.fail() },
      reachOf: async () => reach,
      store: () => undefined,
      conversations,
      isConversation: (name) => readConversationId(name) !== null,
    });
    const eventId = randomUUID();
    const body = Buffer.from(JSON.stringify({ model, input: 'Who am I?', conversation, store: false }));
    const run = async (): Promise<void> => {
      provider.answerWith(script());
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const response: Call['response'] = {
        head: () => undefined,
        write: () => true,
        end: () => resolve(),
        fail: reject,
        abort: () => reject(new Error('aborted')),
      };
      const call = { eventId, requestId: requestIdOf(eventId), key: gateway.key, startedAt: 0, response };
      await open({ ...call, cacheMs: null, tags: null, watch: null }, body);
      await promise;
    };
    await run();
    const turn = await conversations.content(reach, conversation);
    const first = provider.requests.at(-1)?.json;
    await run();
    expect(turn.map(({ type, role }) => role ?? type).slice(0, 2)).toEqual(['user', 'user']);
    expect(turn.length).toBeGreaterThan(2);
    expect(await conversations.content(reach, conversation)).toEqual(turn);
    // The repeated request does not contain its own turn.
    expect(provider.requests.at(-1)?.json).toEqual(first);
  });
});

/** The provider gives the items of each response other ids. */
function renamed(): object[] {
  return recorded.output.map((item) => ({ ...item, id: `item_${randomUUID()}` }));
}
