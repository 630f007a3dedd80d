import { readdirSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../../../src/gateway/usage/usage-record.ts';
import type { Script } from '../../../harness/fake-provider.ts';
import {
  readByOracle,
  recording,
  replayDocument,
  replayStream,
  readThroughSluice,
  type ResponseContent,
} from '../replay.ts';

const files = readdirSync(new URL('../../../fixtures/providers/anthropic', import.meta.url));

/** A stream whose message is broken off by the beginning of another: see `streams.test.ts`. */
const broken = 'spliced-message-start.chunks.txt';

const asked = { provider: 'anthropic', model: 'claude-sonnet-4-5' };

/** Anthropic writes the name of each event, too. */
const form = { event: (data: string) => String(JSON.parse(data).type) };

function oracle(script: Script, streamed: boolean): Promise<ResponseContent> {
  const make = (baseURL: string) => createAnthropic({ baseURL, apiKey: 'key' })(asked.model);
  return readByOracle(make, script, streamed);
}

/** Some recordings hold the answers of several calls one after the other: each is an answer of its own. */
const streams = files
  .filter((file) => file.endsWith('.chunks.txt') && file !== broken)
  .flatMap((file) =>
    answersIn(recording(`anthropic/${file}`)).map((lines, index) => [file, index + 1, lines] as const),
  );

const documents = files.filter((file) => file.endsWith('.json'));

function answersIn(lines: string): string[] {
  const answers: string[] = [];
  let answer = '';
  for (const line of lines.split('\n').filter((one) => one.trim() !== '')) {
    answer += `${line}\n`;
    if (JSON.parse(line).type !== 'message_stop') continue;
    answers.push(answer);
    answer = '';
  }
  return answers;
}

/**
 * The AI SDK shows the summary of a compaction as if the model had said it. It is none of the answer, but Anthropic's note of
 * what came before: OpenAI's answer has no place for it.
 */
function withoutSummaries(result: ResponseContent, lines: string): ResponseContent {
  let { text } = result;
  for (const line of lines.split('\n').filter((one) => one !== '')) {
    const { delta } = JSON.parse(line);
    if (delta?.type === 'compaction_delta') text = text.replace(delta.content, '');
  }
  return { ...result, text };
}

/** An answer that says nothing: refused at once, or cut down to what Anthropic's own tools did. */
const silent = /refusal|advisor/;

describe('a recorded stream', () => {
  it.each(streams)('%s, answer %i, tells what the AI SDK reads in it, and is metered', async (file, _answer, lines) => {
    const script = replayStream(lines, form);
    let metered: UsageRecord | undefined;
    const onMetered = (record: UsageRecord): void => void (metered = record);
    const { received, ...result } = await readThroughSluice({ ...asked, script, streamed: true, onMetered });
    expect(result).toEqual(withoutSummaries(await oracle(script, true), lines));
    if (!silent.test(file)) expect(result.text + result.reasoning + JSON.stringify(result.toolCalls)).not.toBe('[]');
    expect(metered).toMatchObject(meteredAs(result));
    expect(received[0]).toMatchObject({ path: '/v1/messages', json: { stream: true } });
  });
});

describe('a recorded message', () => {
  it.each(documents)('%s tells what the AI SDK reads in it, and is metered', async (file) => {
    const script = replayDocument(recording(`anthropic/${file}`));
    let metered: UsageRecord | undefined;
    const onMetered = (record: UsageRecord): void => void (metered = record);
    const { received, ...result } = await readThroughSluice({ ...asked, script, streamed: false, onMetered });
    expect(result).toEqual(await oracle(script, false));
    if (!silent.test(file)) expect(result.text + result.reasoning + JSON.stringify(result.toolCalls)).not.toBe('[]');
    expect(metered).toMatchObject(meteredAs(result));
    expect(received[0]?.headers).toMatchObject({ 'x-api-key': 'provider-key', 'anthropic-version': '2023-06-01' });
    expect(received[0]?.headers).not.toHaveProperty('authorization');
    expect(received[0]?.json).not.toHaveProperty('stream');
  });
});

function meteredAs({ usage, finish }: ResponseContent): Partial<UsageRecord> {
  return {
    status: 'succeeded',
    estimated: false,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cached_tokens: usage.cached,
    reasoning_tokens: usage.reasoning,
    finish_reason: finish,
  };
}
