import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const recordings = new URL('../../../fixtures/providers/', import.meta.url);

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startConfigured(`
providers:
  openai: { base_url: "${provider.url}", api_key: "sk-1", options: { api: responses } }
  xai: { base_url: "${provider.url}", api_key: "sk-2", options: { api: responses } }
`);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function recorded(name: string): string {
  return readFileSync(new URL(name, recordings), 'utf8');
}

/** Asks over a protocol; each test has a model of its own, by which it finds its record. */
async function ask(path: string, body: object): Promise<void> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  await response.text();
}

const logs = z.object({
  usageLogs: z.object({
    nodes: z.array(
      z.object({
        explanation: z.array(
          z.object({
            label: z.string(),
            unit: z.string(),
            quantity: z.string(),
            amount: z.object({ amount: z.string() }),
          }),
        ),
      }),
    ),
  }),
});

/** The steps of the cost that are no tokens. */
async function toolSteps(model: string): Promise<unknown> {
  const query = `query ($model: String) { usageLogs(first: 5, filter: { model: $model }) { nodes {
    explanation { label unit quantity amount { amount } } } } }`;
  const { data } = await post(
    server.url,
    { query, variables: { model } },
    { authorization: `Bearer ${server.apiKey}` },
  );
  const steps = logs.parse(data).usageLogs.nodes.flatMap(({ explanation }) => explanation);
  return steps
    .filter(({ unit }) => unit !== 'token')
    .map(({ label, quantity, amount: { amount } }) => [label, quantity, amount]);
}

const reported = (details: object): string => {
  const answer = JSON.parse(recorded('xai-responses/xai-web-search-tool.1.json')) as { usage: object };
  return JSON.stringify({ ...answer, usage: { ...answer.usage, server_side_tool_usage_details: details } });
};

describe('tools that a provider runs are billed, and explained', () => {
  it.each([
    [
      'openai/gpt-5-mini',
      recorded('openai-responses/openai-file-search-tool.1.json'),
      [['file searches', '1', '0.0025']],
    ],
    ['openai/gpt-5', recorded('openai-responses/openai-web-search-tool.1.json'), [['searches', '1', '0.01']]],
    ['xai/grok-4-fast-reasoning', recorded('xai-responses/xai-x-search-tool.1.json'), [['X searches', '1', '0.005']]],
    ['xai/grok-4', recorded('xai-responses/xai-code-execution-tool.1.json'), [['code executions', '1', '0.005']]],
    [
      'xai/grok-4-fast-non-reasoning',
      reported({ web_search_calls: 2, document_search_calls: 1, x_search_calls: 0, mcp_calls: 4 }),
      [
        ['searches', '2', '0.01'],
        ['document searches', '1', '0.01'],
      ],
    ],
  ])('%s: what its response reports', async (model, answer, steps) => {
    provider.answerWith(json(200, answer));
    await ask('/v1/responses', { model, input: 'Hello' });
    await expect.poll(() => toolSteps(model)).toEqual(steps);
  });

  it('also where a streamed response is relayed', async () => {
    const model = 'openai/gpt-5-nano';
    const lines = recorded('openai-responses/openai-web-search-tool.1.chunks.txt').split('\n').filter(Boolean);
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(lines.map((data) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`).join(''));
    });
    await ask('/v1/responses', { model, input: 'Hello', stream: true });
    await expect.poll(() => toolSteps(model)).not.toEqual([]);
  });

  it('also where the client speaks another protocol', async () => {
    const model = 'openai/gpt-4.1';
    provider.answerWith(json(200, recorded('openai-responses/openai-file-search-tool.1.json')));
    await ask('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });
    await expect.poll(() => toolSteps(model)).toEqual([['file searches', '1', '0.0025']]);
  });
});
