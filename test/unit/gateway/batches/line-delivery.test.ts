import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/calendar/clock.ts';
import { BatchLane } from '../../../../src/gateway/batches/batch-lane.ts';
import type { BatchRequest } from '../../../../src/gateway/batches/batch.ts';
import { lineIds } from '../../../../src/gateway/batches/line-identity.ts';
import { LineRecorder } from '../../../../src/gateway/batches/line-recorder.ts';
import { ChargedEvents } from '../../../../src/gateway/batches/provider/charged-events.ts';
import { LineDelivery } from '../../../../src/gateway/batches/provider/line-delivery.ts';
import type { ProviderBatch } from '../../../../src/gateway/batches/provider/provider-batch.ts';
import type { Budget } from '../../../../src/gateway/keys/spend-bound.ts';
import type { UsageRecord } from '../../../../src/gateway/usage/usage-record.ts';
import { chatOutcome } from '../../../harness/fake-openai-batches.ts';
import { json } from '../../../harness/fake-provider.ts';
import { key, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';
import { moderationConfig, startModerated, type ModeratedProvider } from '../moderation/moderated-gateway.ts';
import { MemoryBatchStore, noProviderBatches } from './memory-batch-store.ts';

/** Of 12 input and 5 output tokens in a batch, 200 and 800 nano-USD each. */
const COST = 6_400n;
const budget: Budget = {
  id: `key:${key.id}`,
  subject: 'key',
  accountId: key.accountId,
  amountNano: 1_000_000_000n,
  period: 'TOTAL',
  timeZone: 'UTC',
};
const sent: ProviderBatch = {
  id: '01936f00-0000-7000-8000-000000000002',
  connectionId: 'openai',
  model: 'openai/gpt-4.1-mini',
  upstreamModel: 'gpt-4.1-mini',
  kind: '/v1/chat/completions',
  stage: 'ended',
  total: 1,
  bytes: 10,
  reservedNano: 0n,
  uploadId: null,
  externalId: 'batch_1',
  creatingSince: null,
  isCancelled: false,
  counts: { succeeded: 0, failed: 0 },
  createdAt: Date.now(),
};

let fake: ModeratedProvider;
let gateway: TestGateway;
let store: MemoryBatchStore;
let charged: ChargedEvents;

afterEach(async () => {
  await gateway.close();
  await fake.provider.close();
});

async function start(options: GatewayOptions): Promise<void> {
  fake = await startModerated();
  const { url } = fake.provider;
  gateway = await startGateway({ providers: { openai: url, 'azure-openai': url, groq: url }, ...options });
  gateway.limits.open(budget);
  charged = new ChargedEvents();
  store = new MemoryBatchStore({ pass: 'deliver' }, [{}]);
}

/** Delivers the response to the only line once. @returns whether it was delivered */
async function deliver(model: string): Promise<boolean> {
  const { pipeline, limits, router } = gateway;
  const log = { warn: () => undefined };
  const find = async (): Promise<typeof key> => gateway.key;
  const dependencies = {
    pipeline,
    limits,
    charged,
    store,
    log,
    providerBatches: noProviderBatches,
    connection: async (id: string, accountId: string) => router.connection(id, accountId),
    keys: { find, findBilled: find },
    lane: new BatchLane({ pipeline, limits, clock: systemClock }),
    clock: systemClock,
    openResponse: () => Promise.reject(new Error('no responses here')),
  };
  const recorder = new LineRecorder(dependencies, store.batch);
  const messages = [{ role: 'user', content: 'Hello' }];
  const outcome = chatOutcome(0, { model: sent.upstreamModel, messages });
  if (typeof outcome === 'string') expect.fail('no response');
  const answer = { status: outcome.status, body: JSON.stringify(outcome.body) };
  const stored = {
    line: 0,
    attempt: 0,
    beganAt: sent.createdAt,
    failures: 0,
    retryAt: null,
    isDone: false,
    providerBatchId: sent.id,
    answerBytes: Buffer.byteLength(answer.body),
  };
  const request: BatchRequest = { customId: 'line-0', body: { model, messages } };
  const isDelivered = await new LineDelivery(dependencies, store.batch, recorder, [sent]).deliver(
    stored,
    answer,
    request,
  );
  await recorder.stored();
  return isDelivered;
}

const spent = (): bigint | undefined => gateway.limits.state(budget)?.spentNano;
const chats = (): UsageRecord[] => gateway.settled().filter(({ capability }) => capability === 'chat');
const eventId = (): string => lineIds(store.batch.id, 0, 0, sent.createdAt).eventId;
const statuses = (): number[] => [...store.done.values()].map(({ result }) => JSON.parse(result).response.status_code);

describe('the response of a provider to a line', () => {
  it.each(['azure-openai/gpt-4.1-mini', 'groq/llama-3.3-70b-versatile'])(
    'is billed as that of its model where a route of the same name leads to %s',
    async (other) => {
      const routes = `cheap: { targets: [${sent.model}] }, ${sent.model}: { targets: [${other}] }`;
      await start({ config: `routes: { ${routes} }` });
      expect(await deliver('cheap')).toBe(true);
      expect(statuses()).toEqual([200]);
      expect(chats()).toMatchObject([
        { model: sent.model, provider: 'openai', status: 'succeeded', cost_nano: String(COST) },
      ]);
      expect(spent()).toBe(COST);
    },
  );

  it('is billed where neither its requested name nor a target of a route that is named like its model exists', async () => {
    await start({ config: `routes: { ${sent.model}: { targets: [mistral/mistral-large-latest] } }` });
    expect(await deliver('removed')).toBe(true);
    expect(statuses()).toEqual([200]);
    expect(chats()).toMatchObject([{ model: sent.model, provider: 'openai', cost_nano: String(COST) }]);
  });

  it('is delivered, billed and charged once where its moderation is unavailable at first', async () => {
    await start({ config: moderationConfig('block', ['output']), key: { budgets: [budget] } });
    fake.moderateWith(json(200, {}));
    expect(await deliver(sent.model)).toBe(false);
    expect(await deliver(sent.model)).toBe(false);
    expect([store.done.size, spent()]).toEqual([0, COST]);
    fake.moderateWith(null);
    expect(await deliver(sent.model)).toBe(true);
    expect([statuses(), spent()]).toEqual([[200], COST]);
    // Of the records of an event, the first one is stored.
    expect(new Set(chats().map(({ event_id: id }) => id))).toEqual(new Set([eventId()]));
    expect(chats()[0]).toMatchObject({ error_code: 'moderation_unavailable', cost_nano: String(COST) });
  });

  it('has an error where its moderation is still unavailable two hours after the batch has expired', async () => {
    await start({ config: moderationConfig('block', ['output']), key: { budgets: [budget] } });
    fake.moderateWith(json(200, {}));
    store.batch = { ...store.batch, expiresAt: Date.now() - 7_100_000 };
    expect(await deliver(sent.model)).toBe(false);
    store.batch = { ...store.batch, expiresAt: Date.now() - 7_200_000 };
    expect(await deliver(sent.model)).toBe(true);
    expect([statuses(), spent()]).toEqual([[503], COST]);
  });

  it('is known as charged to the gateway that has charged it, and to no other of the process', async () => {
    await start({ config: moderationConfig('block', ['output']), key: { budgets: [budget] } });
    fake.moderateWith(json(200, {}));
    await deliver(sent.model);
    expect([spent(), charged.has(eventId())]).toEqual([COST, true]);
    charged = new ChargedEvents();
    await deliver(sent.model);
    // Without shared budgets each gateway has a limit store of its own; with them it looks in the usage log.
    expect(spent()).toBe(2n * COST);
    fake.moderateWith(null);
    await deliver(sent.model);
    expect([spent(), charged.has(eventId())]).toEqual([2n * COST, false]);
  });

  it('is not charged again after another process has billed it', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    store.failed.add(eventId());
    expect(await deliver(sent.model)).toBe(true);
    expect([statuses(), spent()]).toEqual([[200], 0n]);
  });
});
