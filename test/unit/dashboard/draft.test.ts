import { expect, it } from 'vitest';
import { readDraft } from '../../../src/dashboard/pages/playground/draft.ts';

it('takes from a link the parameters of its capability alone, as texts', () => {
  const parameters = { temperature: '0.5', size: '1024x1024', max_tokens: 7 };
  const draft = readDraft({ capability: 'chat', model: 'openai/gpt-4.1', prompt: 'Hello', parameters });
  expect(draft?.parameters).toEqual({ temperature: '0.5' });
});
