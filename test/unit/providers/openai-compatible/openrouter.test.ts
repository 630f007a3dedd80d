import { APIError } from 'openai';
import { expect, it } from 'vitest';
import { chunk, pieces } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { readThroughSluice } from '../replay.ts';

const provider = 'openrouter';
const comment = ': OPENROUTER PROCESSING\n\n';

describeProvider({ id: provider, url: 'https://openrouter.ai/api/v1/chat/completions' });

it('ignores the comments of OpenRouter’s stream, and relays `reasoning` under its name', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const events = [
    comment,
    comment,
    chunk({ role: 'assistant', content: '', reasoning: 'Hm' }),
    comment,
    chunk({ content: 'Hi' }),
    chunk({}, 'stop', { usage }),
    'data: [DONE]\n\n',
  ];
  const result = await readThroughSluice({ provider, streamed: true, script: pieces(events, 'end') });
  expect(result).toMatchObject({ text: 'Hi', reasoning: 'Hm', finish: 'stop', usage: { input: 3, output: 2 } });
});

it('fails a stream in which OpenRouter reports an error', async () => {
  const error = { code: 502, message: 'Provider disconnected' };
  const events = [comment, chunk({ content: 'Hi' }), chunk({ content: '' }, 'error', { error })];
  const caught = await readThroughSluice({ provider, streamed: true, script: pieces(events, 'end') }).catch(
    (e: unknown) => e,
  );
  expect(caught).toBeInstanceOf(APIError);
  expect(String(caught)).toContain('Provider disconnected');
});
