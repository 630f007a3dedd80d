import { describe, expect, it } from 'vitest';
import { GeminiObserver } from '../../../../src/protocols/gemini/observe-usage.ts';

function event(parts: object[], more: object = {}, counted = 1): string {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: counted, totalTokenCount: 5 + counted };
  const candidates = [{ content: { parts, role: 'model' }, ...more, index: 0 }];
  return `data: ${JSON.stringify({ candidates, usageMetadata, modelVersion: 'gemini-3-flash' })}`;
}

function observed(chunks: readonly string[]): GeminiObserver {
  const observer = new GeminiObserver();
  for (const chunk of chunks) observer.observe(chunk);
  return observer;
}

const searched = { groundingMetadata: { webSearchQueries: ['one', 'two'] } };
const events = [
  event([{ text: 'The Reason', thought: true }]),
  event([{ text: 'for "finishReason": "SAFETY" and Queries' }], searched, 2),
  event([{ functionCall: { name: 'look', args: { to: 'Call' } } }], {}, 3),
  event([{ text: 'an "error"' }], { finishReason: 'STOP' }, 4),
];
const failed = `data: ${JSON.stringify({ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } })}`;

describe.each([
  ['LF', '\n\n'],
  ['CR LF', '\r\n\r\n'],
])('with line ends of %s', (_, blank) => {
  const sent = events.map((each) => each + blank);

  it.each([
    ['at once', [sent.join('')]],
    ['one by one', sent],
    ['in pairs', [sent.slice(0, 2).join(''), sent.slice(2).join('')]],
  ])('the same is read of events that come %s', (_how, chunks) => {
    const observer = observed(chunks);
    expect(observer.error).toBeNull();
    expect(observer.isDone).toBe(true);
    expect(observer.finishReason).toBe('tool_calls');
    expect(observer.usage).toMatchObject({ inputTokens: 5, outputTokens: 4, hostedTools: { web_search_requests: 2 } });
    expect(observer.model).toBe('gemini-3-flash');
  });

  it('an event that reports an error ends them, and those before it count', () => {
    const observer = observed([[...sent.slice(0, 2), failed + blank, sent[3]].join('')]);
    expect(observer.error).toMatchObject({ message: 'Overloaded.' });
    expect(observer.hasOutput).toBe(true);
    expect(observer.isDone).toBe(false);
    expect(observer.usage).toMatchObject({ outputTokens: 2 });
  });

  it('a comment and an error are no output', () => {
    expect(observed([`: waiting${blank}`]).hasOutput).toBe(false);
    expect(observed([failed + blank]).hasOutput).toBe(false);
  });
});

it('a refused prompt is done', () => {
  const blocked = {
    promptFeedback: { blockReason: 'SAFETY' },
    usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
  };
  const observer = observed([`data: ${JSON.stringify(blocked)}\r\n\r\n`]);
  expect(observer.isDone).toBe(true);
  expect(observer.finishReason).toBe('content_filter');
});
