import { readdirSync } from 'node:fs';
import type { ConnectionSettings } from '../../../src/providers/contract.ts';
import type { Script } from '../../harness/fake-provider.ts';
import { replayFrames } from '../../harness/aws-event-stream.ts';
import { replayStream } from '../providers/replay.ts';

type StreamOf = (lines: string) => Script;

const named = (data: string): string => String(JSON.parse(data).type);
const plain: StreamOf = (lines) => replayStream(lines);
const withDone: StreamOf = (lines) => replayStream(lines, { done: true });
const withNames: StreamOf = (lines) => replayStream(lines, { event: named });

/** Folder of recordings, the provider that replays them, its stream, and its base path. */
const folders: readonly [
  folder: string,
  provider: string,
  streamOf: StreamOf,
  options?: Partial<ConnectionSettings>,
][] = [
  ['alibaba', 'alibaba', withDone],
  ['amazon-bedrock', 'amazon-bedrock', replayFrames],
  ['anthropic', 'anthropic', withNames],
  ['azure', 'azure-openai', withNames, { options: { api: 'responses' } }],
  ['cohere', 'cohere', withDone],
  ['deepseek', 'deepseek', withDone],
  ['gemini', 'gemini', plain],
  ['groq', 'groq', withDone],
  ['mistral', 'mistral', withDone],
  ['moonshot', 'moonshot', withDone],
  ['open-responses', 'open-server', withNames, { options: { api: 'responses' } }],
  ['openai-responses', 'openai', withNames, { options: { api: 'responses' } }],
  ['perplexity', 'perplexity', withDone],
  ['xai', 'together', withDone],
  ['xai-responses', 'xai', withNames, { options: { api: 'responses' } }],
];

/** Recorded responses of chats. */
export const recordings = folders.flatMap(([folder, provider, streamOf]) =>
  readdirSync(new URL(`../../fixtures/providers/${folder}`, import.meta.url))
    .filter((file) => /\.(chunks\.txt|json)$/.test(file) && !/error|429/.test(file))
    .map((file) => ({ name: `${folder}/${file}`, provider, streamOf, isStream: file.endsWith('.chunks.txt') })),
);

/** Connections to one server that replays recordings of all of them. */
export function replayingProviders(baseUrl: string): Record<string, Partial<ConnectionSettings>> {
  return Object.fromEntries(folders.map(([, provider, , settings]) => [provider, { baseUrl, ...settings }]));
}
