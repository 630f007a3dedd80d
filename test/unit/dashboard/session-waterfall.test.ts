import { expect, it } from 'vitest';
import { rowsOf } from '../../../src/dashboard/pages/sessions/waterfall-rows.ts';
import type { SessionEntryFragment } from '../../../src/dashboard/generated/graphql.ts';

const request = (id: string, at: number, durationMs: number, requests = 1): SessionEntryFragment => ({
  depth: 0,
  step: null,
  request: {
    id,
    requestId: id,
    createdAt: new Date(at).toISOString(),
    capability: 'video',
    model: 'openai/sora-2',
    requestedModel: 'sora-2',
    status: 'SUCCEEDED',
    streamed: false,
    estimated: false,
    inputTokens: 0,
    outputTokens: 0,
    requests,
    durationMs,
    firstTokenMs: null,
    cost: { amount: '1' },
  },
});

it('the charge of a video has the time of the video, at whose end it is dated', () => {
  const rows = rowsOf([request('create', 1_000, 100), request('charge', 11_000, 10_000, 0)]);
  expect(rows).toMatchObject([
    { key: 'create', start: 0, width: 0.01 },
    { key: 'charge', start: 0, width: 1 },
  ]);
});
