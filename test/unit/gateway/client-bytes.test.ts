import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/calendar/clock.ts';
import { chat } from '../../../src/gateway/capabilities/chat/chat.ts';
import { openResponse, responseEncoder } from '../../../src/gateway/capabilities/responses/open-response.ts';
import { decodeResponsesRequest } from '../../../src/protocols/responses/decode-request.ts';
import type { ClientResponse } from '../../../src/gateway/client-response.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { responseNames } from '../../../src/services/responses/response-id.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { startGateway, type TestGateway } from '../../harness/gateway.ts';
import { recording, replayDocument } from '../providers/replay.ts';
import { recordings, replayingProviders } from './recordings.ts';

/**
 * Hashes of the bytes that a client receives of each recording, and of its usage record. Set `UPDATE_CLIENT_BYTES` to
 * write them again after an intended change, and `DUMP_CLIENT_BYTES` to a folder to compare the texts behind them.
 */
const golden = new URL('../../fixtures/client-bytes.json', import.meta.url);
const expected: Record<string, string> = existsSync(golden) ? JSON.parse(readFileSync(golden, 'utf8')) : {};
const isUpdating = process.env.UPDATE_CLIENT_BYTES !== undefined;
const found: Record<string, string> = {};

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  const providers = replayingProviders(upstream.url);
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  gateway = await startGateway({ providers, key: { limits } });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
  if (isUpdating) writeFileSync(golden, `${JSON.stringify(found, null, 2)}\n`);
});

/** Generated ids are numbered: signatures contain some. */
beforeEach(() => {
  let made = 0;
  vi.spyOn(crypto, 'randomUUID').mockImplementation(
    () => `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`,
  );
});

/** Without the time of day. */
function fixed(text: string): string {
  return text.replaceAll(/"(created|created_at|completed_at)":(\d+)/g, (all, name, seconds) =>
    Number(seconds) > Date.now() / 1_000 - 86_400 ? `"${name}":0` : all,
  );
}

function callOf(log: string[]): Parameters<typeof openResponse>[1] {
  const ids = { ...newEventIds(), eventId: '019ab000-0000-7000-8000-000000000001' };
  const watch = (update: object): void => {
    if (!('durationMs' in update))
      log.push(JSON.stringify(update, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  };
  return { key: gateway.key, ...ids, startedAt: systemClock.monotonic(), cacheMs: null, tags: null, watch };
}

/** What the client of a chat receives. */
function chatBytes(model: string, members: object, isWatched: boolean): Promise<string> {
  return new Promise((resolve) => {
    const [bytes, updates]: [Buffer[], string[]] = [[], []];
    const finish = (last: string): void => resolve([Buffer.concat(bytes).toString(), last, ...updates].join('\n'));
    const response: ClientResponse = {
      head: () => undefined,
      write: (block) => bytes.push(Buffer.from(block)) > 0,
      end: (block, cost) => finish(`${String(block)} ${cost}`),
      fail: (error) => finish(`${error.code}: ${error.message}`),
      abort: () => finish('aborted'),
    };
    const call = callOf(updates);
    const request = { model, messages: [{ role: 'user', content: 'Hello' }], ...members };
    gateway.pipeline.open(
      chat,
      { ...call, response, watch: isWatched ? call.watch : null },
      Buffer.from(JSON.stringify(request)),
    );
  });
}

/** What the client of a response receives. */
function responseEvents(model: string, stream: boolean): Promise<string> {
  return new Promise((resolve) => {
    const events: string[] = [];
    const send = (given: readonly { json: string }[]): boolean => events.push(...given.map(({ json }) => json)) > -1;
    const sink = {
      head: () => undefined,
      send,
      end: (response: object, last: readonly { json: string }[], cost: bigint | null) => {
        send(last);
        resolve([...events, JSON.stringify(response), cost].join('\n'));
      },
      refuse: (error: Error) => resolve([...events, error.message].join('\n')),
      abort: () => resolve('aborted'),
    };
    const call = { ...callOf([]), watch: null };
    const request = decodeResponsesRequest({ model, input: 'Hello', stream, store: false });
    openResponse(
      gateway.pipeline,
      call,
      request,
      sink,
      responseEncoder(gateway.pipeline, responseNames, call, request),
    );
  });
}

async function metered(count: number): Promise<string> {
  const record = (await gateway.settledCount(count)).at(-1);
  const { status, error_code, estimated, input_tokens, output_tokens, cached_tokens, reasoning_tokens } = record ?? {};
  return JSON.stringify([
    status,
    error_code,
    estimated,
    input_tokens,
    output_tokens,
    cached_tokens,
    reasoning_tokens,
    record?.units,
    record?.cost_nano,
    record?.finish_reason,
  ]);
}

let requests = 0;

async function check(name: string, receive: () => Promise<string>): Promise<void> {
  const received = fixed(await receive());
  const usage = await metered(++requests);
  const text = `${received}\n${usage}`;
  if (process.env.DUMP_CLIENT_BYTES !== undefined)
    writeFileSync(`${process.env.DUMP_CLIENT_BYTES}/${name.replaceAll(/[/ ]/g, '_')}`, text);
  const digest = hash('sha256', text).slice(0, 16);
  found[name] = digest;
  if (!isUpdating) expect(digest, name).toBe(expected[name]);
}

describe('a client receives the same bytes', () => {
  it.each(recordings.filter(({ isStream }) => isStream))(
    'of the stream $name',
    async ({ name, provider, streamOf }) => {
      const lines = recording(name);
      const model = `${provider}/recorded-model`;
      upstream.answerWith(streamOf(lines));
      const stream = true;
      await check(`${name} chat`, () => chatBytes(model, { stream }, false));
      await check(`${name} chat with usage`, () =>
        chatBytes(model, { stream, stream_options: { include_usage: true } }, false),
      );
      await check(`${name} chat watched`, () => chatBytes(model, { stream }, true));
      await check(`${name} response`, () => responseEvents(model, stream));
      const half = lines
        .split('\n')
        .slice(0, Math.ceil(lines.split('\n').length * 0.6))
        .join('\n');
      upstream.answerWith(streamOf(half));
      await check(`${name} chat cut`, () => chatBytes(model, { stream }, false));
      await check(`${name} response cut`, () => responseEvents(model, stream));
    },
  );

  it.each(recordings.filter(({ isStream }) => !isStream))('of the document $name', async ({ name, provider }) => {
    const model = `${provider}/recorded-model`;
    upstream.answerWith(replayDocument(recording(name)));
    await check(`${name} chat`, () => chatBytes(model, {}, true));
    await check(`${name} response`, () => responseEvents(model, false));
  });
});
