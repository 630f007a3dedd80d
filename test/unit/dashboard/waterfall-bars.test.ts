import { expect, it } from 'vitest';
import { barsOf } from '../../../src/dashboard/pages/usage-logs/details/waterfall-bars.ts';

const untimed = { startedMs: null, headMs: null };
const failed = { ...untimed, model: 'openai/gpt-4.1', status: 503, error: 'upstream_error', durationMs: 120 };
const silent = { ...untimed, model: 'groq/llama', status: null, error: null, durationMs: 30 };
const answered = { ...untimed, model: 'mistral/large', status: 200, error: null, durationMs: 500 };
const log = { model: 'mistral/large', status: 'SUCCEEDED', durationMs: 650, firstTokenMs: 350 };

const shown = (request: Parameters<typeof barsOf>[0]) =>
  barsOf(request).map(({ name, note, from, ms, kind }) => [name, note, from, ms, kind]);

it('shows failed attempts one after the other, then the wait and the response of the last', () => {
  expect(shown({ ...log, attempts: [failed, silent, answered] })).toEqual([
    ['openai/gpt-4.1', 'upstream_error', 0, 120, 'failed'],
    ['groq/llama', 'no response', 120, 30, 'failed'],
    ['Time to first token', 'mistral/large', 150, 200, 'waiting'],
    ['Response', 'HTTP 200', 350, 300, 'responding'],
  ]);
});

it('shows the last attempt as one bar where no token came', () => {
  const attempts = [failed, { ...failed, model: 'groq/llama', durationMs: 80 }];
  expect(shown({ ...log, status: 'FAILED', durationMs: 200, firstTokenMs: null, attempts })).toEqual([
    ['openai/gpt-4.1', 'upstream_error', 0, 120, 'failed'],
    ['groq/llama', 'upstream_error', 120, 80, 'failed'],
  ]);
});

it('shows a request without attempts by its own model', () => {
  expect(shown({ ...log, durationMs: 4, firstTokenMs: null, attempts: [] })).toEqual([
    ['mistral/large', '', 0, 4, 'responding'],
  ]);
});

it('shows when attempts started, what passed before them, and when the headers came', () => {
  const attempts = [
    { ...failed, startedMs: 5 },
    { ...answered, startedMs: 380, headMs: 90, durationMs: 270 },
  ];
  expect(shown({ ...log, firstTokenMs: 500, attempts })).toEqual([
    ['Admission', 'limits and routing', 0, 5, 'waiting'],
    ['openai/gpt-4.1', 'upstream_error', 5, 120, 'failed'],
    ['Wait', 'before the next attempt', 125, 255, 'waiting'],
    ['Time to first token', 'mistral/large, headers after 90 ms', 380, 120, 'waiting'],
    ['Response', 'HTTP 200', 500, 150, 'responding'],
  ]);
});

it('draws no bar for a pause that is too short to see', () => {
  const attempts = [{ ...answered, startedMs: 1 }];
  expect(shown({ ...log, attempts }).map(([name]) => name)).toEqual(['Time to first token', 'Response']);
});
