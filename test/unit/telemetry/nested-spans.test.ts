import { resourceFromAttributes } from '@opentelemetry/resources';
import { afterEach, describe, expect, it } from 'vitest';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { RequestTracer } from '../../../src/telemetry/traces/request-tracer.ts';
import { key } from '../../harness/gateway.ts';
import { startTracedGateway, type TracedGateway } from '../../harness/traced-gateway.ts';
import {
  ask,
  moderationConfig,
  startModerated,
  type ModeratedProvider,
} from '../gateway/moderation/moderated-gateway.ts';

let traced: TracedGateway;
let fake: ModeratedProvider | null = null;

afterEach(async () => {
  await traced.close();
  await fake?.provider.close();
  fake = null;
});

const BATCH = '019b8e2c-6f00-7abc-8def-0123456789ab';
const CREATED = BigInt(0x019b8e2c6f00) * 1_000_000n;
const ended = { id: BATCH, endpoint: '/v1/messages', outcome: 'completed', total: 3, accountId: 'a', apiKeyId: 'k' };

describe('requests on behalf of another one', () => {
  it('have spans that are children of its span', async () => {
    fake = await startModerated();
    const config = moderationConfig('block', ['input']);
    traced = await startTracedGateway({ openai: fake.provider.url, config });
    await (await ask(traced.gateway, {})).text();
    const spans = await traced.finish();
    const server = spans.find(({ kind }) => kind === 'SERVER');
    const check = spans.find(({ kind }) => kind === 'INTERNAL');
    expect(check).toMatchObject({
      name: 'request moderation',
      traceId: server?.traceId,
      parentSpanId: server?.spanId,
    });
    const attempts = spans.filter(({ kind }) => kind === 'CLIENT').map(({ parentSpanId }) => parentSpanId);
    expect(attempts.toSorted()).toEqual([server?.spanId, check?.spanId].toSorted());
  });
});

describe('the span of a batch', () => {
  it('has the same IDs in every process, and starts when the batch was created', async () => {
    const runs = [];
    for (let process = 0; process < 2; process++) {
      traced = await startTracedGateway({});
      traced.gateway.pipeline.dependencies.telemetry?.batchEnded(ended);
      runs.push(await traced.finish());
      await traced.close();
    }
    const [[first] = [], [second] = []] = runs;
    expect(first).toMatchObject({ name: 'batch /v1/messages', kind: 'INTERNAL', parentSpanId: '', start: CREATED });
    expect([second?.traceId, second?.spanId]).toEqual([first?.traceId, first?.spanId]);
    expect(first?.resource['service.instance.id']).not.toBe(second?.resource['service.instance.id']);
    expect(JSON.stringify(first?.attributes)).not.toContain(BATCH);
  });
});

describe('without sampling', () => {
  it('nothing has a span, and headers to providers continue the trace of the operation', async () => {
    traced = await startTracedGateway({}, { OTEL_TRACES_SAMPLER: 'always_off' });
    const { telemetry } = traced.gateway.pipeline.dependencies;
    const operation = telemetry?.startOperation({ name: 'comparison chat', key, attributes: {} });
    const children = [operation?.startChild(), operation?.startChild()];
    const [one, other] = children.map((child) => child?.outboundHeaders[1]?.split('-')[1]);
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(other).toBe(one);
    for (const child of children) child?.ended(200, null);
    operation?.ended();
    telemetry?.batchEnded(ended);
    expect(await traced.finish()).toEqual([]);
  });
});

describe('the records of the log', () => {
  it('of a request that runs on after its response have the context of the span that continues it', () => {
    const contexts = new Map<string, string>();
    const tracer = new RequestTracer(
      {
        resource: resourceFromAttributes({}),
        scope: { name: 'sluice' },
        hasOpenInference: false,
        now: () => 1,
        emit: () => undefined,
        content: null,
        register: (id, context) => void (context === null ? contexts.delete(id) : contexts.set(id, context.spanId)),
        metrics: null,
      },
      { sampler: 'always_on', samplingRatio: 1 },
    );
    const call = { ...newEventIds(), key };
    const posted = tracer.startRequest({ traceparent: undefined, tracestate: undefined });
    const run = posted.continuedBy(call);
    run.begin(call);
    posted.closed({ method: 'POST', route: '/v1/responses', status: 200 });
    expect([...contexts]).toEqual([[call.requestId, run.ids?.spanId]]);
    run.ended(200, null);
    expect(contexts.size).toBe(0);
  });
});
