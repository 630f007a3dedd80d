import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completion, json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const MODERATION_MS = 30;
const FIRST_TOKEN_MS = 20;
const LAST_TOKEN_MS = 50;
const SILENCE_MS = 100;

const chunk = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

describe('the times of a request', () => {
  let provider: FakeProvider;
  let gateway: TestGateway;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock();
    provider = await startFakeProvider();
    const config = 'routing: { moderation: { model: openai/omni-moderation-latest, check: [input], action: block } }';
    gateway = await startGateway({ openai: provider.url, config, pipelineClock: clock });
  });

  afterEach(async () => {
    await gateway.close();
    await provider.close();
  });

  /** Passes the input after a while, and answers chats by the script. */
  function answerChatsWith(script: Parameters<FakeProvider['answerWith']>[0]): void {
    provider.answerWith((request, response) => {
      if (!request.path.endsWith('/moderations')) return script(request, response);
      clock.advance(MODERATION_MS);
      const result = { flagged: false, categories: {}, category_scores: {}, category_applied_input_types: {} };
      return json(200, { id: 'm', model: 'omni-moderation-latest', results: [result] })(request, response);
    });
  }

  function chat(stream: boolean, signal: AbortSignal | null = null): Promise<Response> {
    return fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hello' }], stream }),
      signal,
    });
  }

  const recorded = () =>
    gateway
      .settled()
      .filter(({ capability }) => capability === 'chat')
      .map(({ admitted_ms: admitted, first_token_ms: first, last_output_ms: last, duration_ms: settled }) => ({
        admitted,
        first,
        last,
        settled,
      }));

  it('are those of admission, of the first token, of the last output and of settlement', async () => {
    answerChatsWith((request, response) => {
      clock.advance(FIRST_TOKEN_MS);
      return completion()(request, response);
    });
    await (await chat(false)).text();
    const answeredAt = MODERATION_MS + FIRST_TOKEN_MS;
    expect(recorded()).toEqual([{ admitted: MODERATION_MS, first: answeredAt, last: answeredAt, settled: answeredAt }]);
  });

  it('tell when a client that disconnects was sent the last token', async () => {
    const controller = new AbortController();
    const steps = [FIRST_TOKEN_MS, LAST_TOKEN_MS];
    const received = steps.map(() => Promise.withResolvers<void>());
    answerChatsWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [index, ms] of steps.entries()) {
        clock.advance(ms);
        response.write(chunk(`part ${index}`));
        await received[index]?.promise;
      }
    });
    const response = await chat(true, controller.signal);
    let text = '';
    const decoder = new TextDecoder();
    const read = async (): Promise<void> => {
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes);
        if (text.includes('part 0')) received[0]?.resolve();
        if (!text.includes('part 1')) continue;
        clock.advance(SILENCE_MS);
        controller.abort();
      }
    };
    await expect(read()).rejects.toThrow();
    received[1]?.resolve();
    await expect.poll(recorded).toHaveLength(1);
    const first = MODERATION_MS + FIRST_TOKEN_MS;
    const last = first + LAST_TOKEN_MS;
    expect(recorded()).toEqual([{ admitted: MODERATION_MS, first, last, settled: last + SILENCE_MS }]);
  });

  it('lack a last output where there is none', async () => {
    answerChatsWith(json(400, { error: { message: 'no' } }));
    await (await chat(false)).text();
    expect(recorded()).toEqual([{ admitted: MODERATION_MS, first: null, last: undefined, settled: MODERATION_MS }]);
  });
});
