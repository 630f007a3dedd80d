import { expect, it } from 'vitest';
import { timelineOf } from '../../../src/dashboard/pages/usage-logs/details/timeline-steps.ts';

const failed = {
  provider: 'openai',
  model: 'openai/gpt-4.1',
  status: 503,
  error: 'provider_error',
  startedMs: 5,
  headMs: null,
  durationMs: 120,
};
const answered = {
  provider: 'mistral',
  model: 'mistral/large',
  status: 200,
  error: null,
  startedMs: 380,
  headMs: 90,
  durationMs: 270,
};
const log = {
  status: 'SUCCEEDED',
  streamed: true,
  durationMs: 651,
  firstTokenMs: 500,
  admittedMs: 3,
  lastOutputMs: 640,
};
/** Of an earlier version. */
const older = { ...log, admittedMs: null, lastOutputMs: null };

const shown = (request: Parameters<typeof timelineOf>[0]) =>
  timelineOf(request).map(({ at, name, note, isFailure }) => [at, name, note, isFailure]);

it('tells admission, each attempt with its outcome, the first and last token, and settlement', () => {
  expect(shown({ ...log, attempts: [failed, answered] })).toEqual([
    [0, 'Received', '', false],
    [3, 'Admitted', 'limits checked, target selected', false],
    [5, 'Attempt 1 sent', 'openai: openai/gpt-4.1', false],
    [125, 'Attempt 1 failed', 'provider_error, HTTP 503', true],
    [380, 'Attempt 2 sent', 'mistral: mistral/large', false],
    [470, 'Response headers', 'HTTP 200', false],
    [500, 'First token', '120 ms after it was sent', false],
    [640, 'Last token', 'HTTP 200', false],
    [651, 'Settled', 'succeeded', false],
  ]);
});

it('derives admission and the last token of requests that earlier versions recorded', () => {
  expect(shown({ ...older, attempts: [failed, answered] })).toEqual(
    expect.arrayContaining([
      [5, 'Admitted', 'limits checked, target selected', false],
      [650, 'Last token', 'HTTP 200', false],
    ]),
  );
});

it('tells a failed request without a token', () => {
  const silent = { ...failed, status: null, startedMs: null };
  expect(shown({ ...older, status: 'FAILED', durationMs: 121, firstTokenMs: null, attempts: [silent] })).toEqual([
    [0, 'Received', '', false],
    [0, 'Admitted', 'limits checked, target selected', false],
    [0, 'Attempt 1 sent', 'openai: openai/gpt-4.1', false],
    [120, 'Attempt 1 failed', 'provider_error, no response', true],
    [121, 'Settled', 'failed', true],
  ]);
});

it('has a last token where the client cancelled, if it is recorded', () => {
  const namesOf = (request: typeof older | typeof log) =>
    timelineOf({ ...request, status: 'ABORTED', attempts: [answered] }).map(({ name }) => name);
  expect(namesOf(log)).toContain('Last token');
  expect(namesOf(older)).toEqual([
    'Received',
    'Admitted',
    'Attempt 1 sent',
    'Response headers',
    'First token',
    'Settled',
  ]);
});

it('names the end of a response that is not streamed, and a request without attempts', () => {
  const steps = timelineOf({
    ...older,
    streamed: false,
    firstTokenMs: null,
    attempts: [{ ...answered, headMs: null }],
  });
  expect(steps.map(({ name }) => name)).toContain('Response complete');
  expect(shown({ ...older, firstTokenMs: null, durationMs: 2, attempts: [] })).toEqual([
    [0, 'Received', '', false],
    [2, 'Settled', 'succeeded', false],
  ]);
});
