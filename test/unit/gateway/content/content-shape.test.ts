import { expect, it } from 'vitest';
import { shapeOf } from '../../../../src/gateway/content/content-shape.ts';

const reference = `[media:image/png; 12 bytes; sha256:${'0'.repeat(64)}]`;

it('has roles, sizes, counts, names of tools and media, and no text', () => {
  const document = {
    request: {
      model: 'openai/gpt-4o',
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'secret' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'secret' },
            { type: 'image_url', image_url: { url: reference } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'lookup', parameters: { secret: 1 }, description: 'secret' } }],
      metadata: { secret: 'secret' },
    },
    response: {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a secret', function: { name: 'lookup', arguments: '{"secret":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { total_tokens: 7 },
    },
    error: null,
    isComplete: true,
  };
  const shape = shapeOf(document);
  expect(JSON.stringify(shape)).not.toContain('secret');
  expect(shape).toMatchObject({
    request: {
      model: 'openai/gpt-4o',
      temperature: 0.5,
      messages: [
        { role: 'system', content: '[6 characters]' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '[6 characters]' },
            { type: 'image_url', image_url: { url: reference } },
          ],
        },
      ],
      tools: [{ function: { name: 'lookup', parameters: '[1 members]' } }],
      metadata: '[1 members]',
    },
    response: { choices: [{ finish_reason: 'tool_calls' }], usage: { total_tokens: 7 } },
    isComplete: true,
  });
  expect(shapeOf({ request: [0.1, 0.2], response: { data: [{ embedding: [0.1, 0.2, 0.3] }] } })).toEqual({
    request: '[2 values]',
    response: { data: [{ embedding: '[3 values]' }] },
  });
});
