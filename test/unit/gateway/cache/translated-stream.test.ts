import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../harness/gateway.ts';
import { eventsOf, messageOf, streamOf } from '../../providers/anthropic/ask.ts';

const message = messageOf([
  { type: 'text', text: 'Good day' },
  { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } },
]);

describe('the cache', () => {
  it('replays a translated stream to a client that wants usage, whether the first one did or not', async () => {
    const upstream = await startFakeProvider(streamOf(eventsOf(message)));
    const gateway = await startGateway({ providers: { anthropic: upstream.url }, key: { cacheMs: 60_000 } });
    const ask = async (members: object): Promise<string> => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'anthropic/claude-sonnet-4-5',
          messages: [{ role: 'user', content: 'Hello' }],
          stream: true,
          ...members,
        }),
      });
      return response.text();
    };
    try {
      const first = await ask({});
      const replayed = await ask({ stream_options: { include_usage: true } });
      expect(upstream.requests).toHaveLength(1);
      const events = replayed.split('\n\n');
      const usage = events.splice(-3, 1);
      expect(usage[0]).toContain('"usage":{"prompt_tokens":3,"completion_tokens":2');
      expect(events.join('\n\n').replaceAll(',"usage":null', '')).toBe(first);
      expect(await ask({})).toBe(first);
      const [made, ...hits] = await gateway.settledCount(3);
      for (const hit of hits)
        expect(hit).toMatchObject({ input_tokens: 3, output_tokens: 2, finish_reason: made?.finish_reason });
    } finally {
      await gateway.close();
      await upstream.close();
    }
  });
});
