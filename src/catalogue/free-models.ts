import type { ModelRecord } from './model-record.ts';

/** Models that their provider serves without charge, and that the sources of the catalogue omit. */
export const freeModels: readonly ModelRecord[] = [
  // Source: developers.openai.com/api/docs/guides/moderation: "The moderation endpoint is free to use."
  'omni-moderation-latest',
  'omni-moderation-2024-09-26',
  'text-moderation-latest',
  'text-moderation-stable',
  'text-moderation-007',
].map((name) => ({
  id: `openai/${name}`,
  provider: 'openai',
  name,
  contextWindow: null,
  maxOutputTokens: null,
  inputModalities: name.startsWith('omni') ? ['text', 'image'] : ['text'],
  outputModalities: ['text'],
  capabilities: ['moderation'],
  rates: { input: '0', output: '0' },
  priceVersion: 'free@2026-11-24',
  releasedOn: null,
}));
