import { expect, it } from 'vitest';
import { readDraft } from '../../../src/dashboard/pages/playground/draft.ts';

it('reads only the parameters of its capability from a link, as text', () => {
  const parameters = { temperature: '0.5', size: '1024x1024', max_tokens: 7 };
  const draft = readDraft({ capability: 'chat', model: 'openai/gpt-4.1', prompt: 'Hello', parameters });
  expect(draft?.parameters).toEqual({ temperature: '0.5' });
});
