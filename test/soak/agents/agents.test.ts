import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../harness/configured-server.ts';
import { post } from '../../harness/graphql-client.ts';
import { hasAgents } from '../../harness/agent-programs.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { agents, claudeCode, geminiCli, runAgent, runTurns, type Agent } from './run-agent.ts';
import { FINAL_TEXT, finalTurn, taskOf } from './script.ts';
import { watchUpgrades, type WatchedServer } from './watch-upgrades.ts';
import { startScriptedProvider, type ProtocolName, type ScriptedProvider } from './scripted-provider.ts';

const TURNS = 50;

const models: Record<ProtocolName, string> = {
  responses: 'openai/gpt-5.1-codex',
  // Without a prefix: Claude Code returns thinking only of the model that it asked for.
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini/gemini-3-pro-preview',
  chat: 'chat-server/model',
  // A route of the name with which Bedrock responds.
  bedrock: 'claude-sonnet-4-6',
  vertex: 'google-vertex/gemini-3-pro-preview',
};

let provider: ScriptedProvider;
let server: ServerProcess;
let watched: WatchedServer;

beforeAll(async () => {
  provider = await startScriptedProvider();
  server = await startConfigured(`
providers:
  openai: { api_key: x, base_url: "${provider.origin}/v1", options: { api: responses } }
  anthropic: { api_key: x, base_url: "${provider.origin}/v1" }
  gemini: { api_key: x, base_url: "${provider.origin}/v1beta" }
  chat-server: { base_url: "${provider.origin}/v1", billed: false }
  amazon-bedrock: { api_key: x, base_url: "${provider.origin}" }
  google-vertex: { api_key: x, base_url: "${provider.origin}/v1" }
routes:
  # Several of these providers have a model of this name.
  claude-sonnet-4-5:
    targets: [anthropic/claude-sonnet-4-5]
  claude-sonnet-4-6:
    targets: [amazon-bedrock/eu.anthropic.claude-sonnet-4-6]
`);
  watched = await watchUpgrades(server.url);
});

afterAll(async () => {
  watched.close();
  await server.dispose();
  await provider.close();
});

async function completesTask(agent: Agent, protocol: ProtocolName): Promise<void> {
  const { compaction } = agent;
  const script = taskOf(TURNS, agent.tool, { fullAfter: TURNS / 2, ...compaction });
  expect(script.flatMap(({ calls }) => calls)).toHaveLength(100);
  const { played, unexpected } = provider.play(protocol, script, compaction);
  if (agent === geminiCli)
    await leadSideModels(protocol === 'messages' ? 'anthropic/claude-sonnet-4-5' : models[protocol]);
  const before = watched.upgrades();
  const gateway = { url: watched.url, apiKey: server.apiKey };
  const { code, out, err } = await runAgent(agent, gateway, models[protocol]);
  expect(watched.upgrades() > before).toBe(agent.isOverSocket === true);
  expect(unexpected).toEqual([]);
  for (const { actual, expected, told, asksForSummary, remains } of played) {
    expect(actual).toEqual(expected.filter((entry) => returns(agent, protocol, entry)));
    expect(told.actual).toEqual(told.expected);
    expect(asksForSummary.actual).toBe(asksForSummary.expected);
    expect(remains).toEqual([]);
  }
  expect(played.filter(({ asksForSummary }) => asksForSummary.actual)).toHaveLength(compaction.drafts);
  expect(played.every(({ hasSummary }) => hasSummary)).toBe(true);
  expect(played, `${out}\n${err}`).toHaveLength(script.length);
  expect(out).toContain(FINAL_TEXT);
  expect(code).toBe(0);
}

/** Whether an agent sends it to a model of this protocol again. */
function returns({ returnsItemIds, returnsUnsignedReasoning }: Agent, protocol: ProtocolName, entry: string): boolean {
  if (entry.startsWith('item ')) return returnsItemIds === true;
  return !entry.startsWith('reasoning ') || protocol !== 'chat' || returnsUnsignedReasoning === true;
}

/** Gemini CLI asks a model of its own choice for summaries. */
async function leadSideModels(model: string): Promise<void> {
  const query = 'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }';
  const variables = { input: { name: 'gemini-*', targets: [{ model }], saveAnyway: true } };
  const { errors } = await post(server.url, { query, variables }, { authorization: `Bearer ${server.apiKey}` });
  expect(errors).toBeUndefined();
}

describe.skipIf(!hasAgents).each(agents)('$name', (agent) => {
  it.each(['responses', 'messages', 'gemini', 'chat'] as const)(
    'completes a task of 50 turns with 100 calls on a model of %s, and returns what it was sent',
    (protocol) => completesTask(agent, protocol),
  );
});

describe.skipIf(!hasAgents)('a host that has the protocol of the agent in an envelope of its own', () => {
  it.each([
    { host: 'Amazon Bedrock', agent: claudeCode, protocol: 'bedrock' as const },
    { host: 'Google Vertex AI', agent: geminiCli, protocol: 'vertex' as const },
  ])('serves such a task: $agent.name at $host', ({ agent, protocol }) => completesTask(agent, protocol));
});

describe.skipIf(!hasAgents)('Claude Code in the next turn', () => {
  it.each(['responses', 'messages', 'gemini', 'chat'] as const)(
    'returns a response of %s without calls, with its signature where it has one',
    async (protocol) => {
      const script = [finalTurn(1), finalTurn(2)];
      const { played, unexpected } = provider.play(protocol, script);
      for (const { code, out, err } of await runTurns(claudeCode, server, models[protocol])) {
        expect(out, err).toContain(FINAL_TEXT);
        expect(code).toBe(0);
      }
      expect(unexpected).toEqual([]);
      expect(played).toHaveLength(2);
      for (const { actual, expected } of played)
        expect(actual).toEqual(expected.filter((entry) => returns(claudeCode, protocol, entry)));
    },
  );
});
