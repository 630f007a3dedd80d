import type { ModelRecord } from './model-record.ts';

/** The sandbox's own models: offline, never billed, and no AI models. */
export const sandboxModels: readonly ModelRecord[] = [
  {
    id: 'sandbox/chat',
    provider: 'sandbox',
    name: 'Sandbox chat (no AI model)',
    contextWindow: 131_072,
    maxOutputTokens: 8_192,
    inputModalities: ['text', 'image', 'audio', 'file'],
    outputModalities: ['text'],
    capabilities: ['chat', 'tools', 'json_schema', 'reasoning', 'logprobs'],
    rates: null,
    priceVersion: 'sandbox',
    releasedOn: '2026-11-20',
  },
  {
    id: 'sandbox/embedding',
    provider: 'sandbox',
    name: 'Sandbox embedding (no AI model)',
    contextWindow: 8_192,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: ['embedding'],
    capabilities: ['embeddings'],
    rates: null,
    priceVersion: 'sandbox',
    releasedOn: '2026-11-20',
  },
];
