import type { ModelRecord } from './model-record.ts';

/** The sandbox's own models: offline, never billed, and no AI models. */
export const sandboxModels: readonly ModelRecord[] = [
  {
    id: 'sandbox/chat',
    provider: 'sandbox',
    name: 'Sandbox chat (no AI model)',
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    inputModalities: ['text', 'image', 'audio', 'file'],
    outputModalities: ['text'],
    capabilities: ['chat', 'tools', 'json_schema', 'reasoning', 'logprobs'],
    rates: null,
    priceVersion: 'sandbox',
    releasedOn: '2026-11-20',
  },
];
