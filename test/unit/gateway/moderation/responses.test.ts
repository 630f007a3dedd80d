import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/calendar/clock.ts';
import { openResponse, responseEncoder } from '../../../../src/gateway/capabilities/responses/open-response.ts';
import { decodeResponsesRequest } from '../../../../src/protocols/responses/decode-request.ts';
import type { ResponseSink } from '../../../../src/gateway/capabilities/responses/response-converter.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { responseNames } from '../../../../src/services/responses/response-id.ts';
import { pieces, stream, streamEvents } from '../../../harness/fake-provider.ts';
import { startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { model, moderationConfig, startModerated, type ModeratedProvider } from './moderated-gateway.ts';

let fake: ModeratedProvider;
let gateway: TestGateway;

beforeEach(async () => {
  fake = await startModerated();
});

afterEach(async () => {
  await gateway.close();
  await fake.provider.close();
});

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly code?: string;
  readonly response?: { readonly status: string; readonly output: unknown };
}

/** The events of a streamed response; the message of its error where it is refused. */
function received(): Promise<Event[] | string> {
  return new Promise((resolve) => {
    const events: Event[] = [];
    const sink: ResponseSink = {
      head: () => undefined,
      send: (given) => events.push(...given.map(({ json }) => JSON.parse(json))) > -1,
      end(_response, last) {
        sink.send(last);
        resolve(events);
      },
      refuse: ({ code }) => resolve(code),
      abort: () => resolve('aborted'),
    };
    const ids = newEventIds();
    const call = {
      key: gateway.key,
      ...ids,
      startedAt: systemClock.monotonic(),
      cacheMs: null,
      tags: null,
      watch: null,
    };
    const request = decodeResponsesRequest({ model, input: 'Hello', stream: true, store: false });
    openResponse(
      gateway.pipeline,
      call,
      request,
      sink,
      responseEncoder(gateway.pipeline, responseNames, call, request),
    );
  });
}

async function eventsOf(): Promise<Event[]> {
  const events = await received();
  if (typeof events === 'string') return expect.fail(`it is refused: ${events}`);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  return events;
}

const quiet = Array.from({ length: 30 }, (_, index) => `${index} ${'quiet '.repeat(10)}`);

describe('a moderated response', () => {
  it('that is flagged fails with the output that passed, and no number is missing', async () => {
    gateway = await startGateway({ openai: fake.provider.url, config: moderationConfig('block', ['output']) });
    fake.chatWith(pieces(streamEvents([...quiet, ...quiet, 'terrible things ', ...quiet], true), 'end'));
    const events = await eventsOf();
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code: 'content_flagged' },
      { type: 'response.failed', response: { status: 'failed' } },
    ]);
    const shown = events.map(({ delta = '' }) => delta).join('');
    expect(shown).not.toBe('');
    expect(`${quiet.join('')}${quiet.join('')}`.startsWith(shown)).toBe(true);
    expect(events.at(-1)?.response?.output).toMatchObject([{ content: [{ text: shown }] }]);
  });

  it('that is flagged before any output is refused', async () => {
    gateway = await startGateway({ openai: fake.provider.url, config: moderationConfig('block', ['output']) });
    fake.chatWith(stream(['Something ', 'terrible']));
    expect(await received()).toBe('content_flagged');
  });

  it.each(['block', 'annotate'] as const)('with the action `%s` is complete where it passes', async (action) => {
    gateway = await startGateway({ openai: fake.provider.url, config: moderationConfig(action, ['output']) });
    fake.chatWith(pieces(streamEvents(quiet, true), 'end'));
    const events = await eventsOf();
    expect(events.map(({ delta = '' }) => delta).join('')).toBe(quiet.join(''));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });
});
