import { describe, expect, it } from 'vitest';
import { json } from '../../../harness/fake-provider.ts';
import { readThroughSluice } from '../replay.ts';
import { messageOf } from './ask.ts';

describe('a request through the gateway', () => {
  it('comes to Anthropic with what it asks, and tells what was left out', async () => {
    const { received } = await readThroughSluice({
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      script: json(200, messageOf([{ type: 'text', text: 'Hi' }])),
      streamed: false,
      request: {
        max_completion_tokens: 77,
        temperature: 0.4,
        top_k: 5,
        stop: ['END', 'STOP'],
        user: 'user-1',
        seed: 7,
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
        betas: ['my-beta-1'],
      },
    });
    expect(received[0]?.json).toEqual({
      model: 'claude-haiku-4-5',
      max_tokens: 77,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      temperature: 0.4,
      top_k: 5,
      stop_sequences: ['END', 'STOP'],
      metadata: { user_id: 'user-1' },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    });
    expect(received[0]?.headers['anthropic-beta']).toBe('context-management-2025-06-27,my-beta-1');
  });
});
