import { createAzure } from '@ai-sdk/azure';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createXai } from '@ai-sdk/xai';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  readByOracle,
  recording,
  replayDocument,
  replayStream,
  readThroughSluice,
  type ResponseContent,
} from '../../replay.ts';

type Json = Record<string, unknown>;

const apiKey = 'provider-key';
const openaiModel = (baseURL: string) => createOpenAI({ baseURL, apiKey }).responses('gpt-5-nano');

/** Folder of recordings, Sluice's provider, and who else reads them. */
const families: readonly [folder: string, provider: string, oracle: (baseUrl: string) => LanguageModelV4][] = [
  ['openai-responses', 'openai', openaiModel],
  ['azure', 'azure-openai', (baseURL) => createAzure({ baseURL, apiKey }).responses('gpt-5-nano')],
  ['xai-responses', 'xai', (baseURL) => createXai({ baseURL, apiKey }).responses('grok-4-fast')],
  ['open-responses', 'open-server', openaiModel],
];

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A recording holds one answer, or those of several turns one after the other. */
function answersOf(events: string): string[] {
  const answers: string[][] = [];
  for (const line of events.split('\n').filter((text) => text.trim() !== '')) {
    if (JSON.parse(line).type === 'response.created') answers.push([]);
    answers.at(-1)?.push(line);
  }
  return answers.map((lines) => lines.join('\n'));
}

/**
 * Puts back what a recording was thinned out by: pieces of texts that came whole after them. The other reader tells the pieces
 * alone.
 */
function filledUp(answer: string): string {
  const pieces = new Map<unknown, string>();
  return answer
    .split('\n')
    .flatMap((line) => {
      const event: Json = JSON.parse(line);
      const so = pieces.get(event.output_index) ?? '';
      if (event.type === 'response.output_text.delta') pieces.set(event.output_index, so + String(event.delta));
      if (event.type !== 'response.output_text.done' || !String(event.text).startsWith(so)) return [line];
      const delta = String(event.text).slice(so.length);
      return delta === '' ? [line] : [JSON.stringify({ ...event, type: 'response.output_text.delta', delta }), line];
    })
    .join('\n');
}

/** The items of an answer, as its last word on them has it. */
function itemsOf(text: string, streamed: boolean): Json[] {
  if (!streamed) return objects(JSON.parse(text).output);
  const events: Json[] = text.split('\n').map((line) => JSON.parse(line));
  return events
    .filter(({ type }) => type === 'response.output_item.done')
    .map(({ item }) => item)
    .filter(isObject);
}

/**
 * What the other reader tells in OpenAI's chat conventions.
 * - Calls of tools that chat has no declaration for (shell, patches, tool search, approvals) are not the caller's to make.
 * - A call named `parallel` is taken apart by the other reader; it is passed on as the model made it.
 * - Parts of reasoning are shown apart, and those of open models, which the other reader leaves out, are shown too.
 */
function inChat(result: ResponseContent, items: readonly Json[]): ResponseContent {
  const calls = items.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call');
  const names = new Set(calls.map(({ name }) => name));
  const wrapped = calls.filter(({ name }) => name === 'parallel');
  const toolCalls = wrapped.length
    ? wrapped.map(({ arguments: input }) => ({ name: 'parallel', input: JSON.parse(String(input)) }))
    : result.toolCalls.filter(({ name }) => names.has(name));
  const open = items
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ content }) => objects(content).map(({ text }) => String(text)));
  const reasoning = result.reasoning === '' ? open.join('') : result.reasoning;
  return {
    ...result,
    toolCalls,
    reasoning: joined(reasoning),
    finish: result.finish === 'tool_calls' && toolCalls.length === 0 ? 'stop' : result.finish,
  };
}

const joined = (reasoning: string): string => reasoning.replaceAll('\n\n', '');

const recordings = families.flatMap(([folder, provider, oracle]) =>
  readdirSync(new URL(`../../../../fixtures/providers/${folder}`, import.meta.url))
    .filter((file) => !file.includes('error'))
    .flatMap((file) => {
      const streamed = file.endsWith('.chunks.txt');
      const text = recording(`${folder}/${file}`);
      const answers = streamed ? answersOf(text) : [text];
      return answers.map((answer, turn) => ({
        name: `${folder}/${file} ${turn + 1}`,
        provider,
        oracle,
        streamed,
        answer,
      }));
    }),
);

describe('a recorded response', () => {
  it.each(recordings)('is told as chat: $name', async ({ provider, oracle, streamed, answer }) => {
    const script = streamed ? replayStream(answer, { event: (data) => JSON.parse(data).type }) : replayDocument(answer);
    const { received, ...result } = await readThroughSluice({
      provider,
      script,
      streamed,
      options: { api: 'responses' },
    });
    const theirs = streamed ? replayStream(filledUp(answer)) : script;
    const expected = inChat(await readByOracle(oracle, theirs, streamed), itemsOf(answer, streamed));
    expect({ ...result, reasoning: joined(result.reasoning) }).toEqual(expected);
    expect(received.map(({ path }) => path.split('?')[0])).toEqual(['/v1/responses']);
  });

  it('is one of many', () => {
    expect(recordings.length).toBeGreaterThan(40);
    expect(recordings.some(({ streamed }) => streamed)).toBe(true);
  });
});
