import { readdirSync } from 'node:fs';
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createCohere } from '@ai-sdk/cohere';
import type { LanguageModelV4 } from '@ai-sdk/provider';
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
import { replayFrames } from '../../../harness/aws-event-stream.ts';

interface Recorded {
  readonly oracle: (baseURL: string) => LanguageModelV4;
  readonly streamOf: (lines: string) => Script;
}

const recorded: Readonly<Record<string, Recorded>> = {
  'amazon-bedrock': {
    oracle: (baseURL) => createAmazonBedrock({ baseURL, apiKey: 'key', region: 'r' }).languageModel('recorded-model'),
    streamOf: replayFrames,
  },
  cohere: {
    oracle: (baseURL) => createCohere({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
    streamOf: (lines) => replayStream(lines, { done: true }),
  },
};

const all = Object.entries(recorded).flatMap(([provider, how]) =>
  readdirSync(new URL(`../../../fixtures/providers/${provider}`, import.meta.url))
    .filter((file) => /\.(chunks\.txt|json)$/.test(file))
    .map((file) => ({ provider, file, how })),
);

const schema = { type: 'object' as const, properties: { value: { type: 'string' as const } } };

/** Differences in representation: empty usage is absent usage, and other finish reasons are OpenAI's `stop`. */
function inOpenAiTerms(result: ResponseContent): ResponseContent {
  return { ...result, finish: result.finish === 'other' ? 'stop' : result.finish };
}

describe('the bridge to the AI SDK', () => {
  it.each(all)('returns the content of $file of $provider that the package reads', async ({ provider, file, how }) => {
    const streamed = file.endsWith('.chunks.txt');
    const body = recording(`${provider}/${file}`);
    const script = streamed ? how.streamOf(body) : replayDocument(body);
    let metered: UsageRecord | undefined;
    const onMetered = (record: UsageRecord): void => void (metered = record);
    const { received, ...result } = await readThroughSluice({ provider, script, streamed, onMetered });
    const oracle = inOpenAiTerms(await readByOracle(how.oracle, script, streamed));
    const saysUsage = /usage/.test(body);
    expect(saysUsage ? result : { ...result, usage: null }).toEqual(saysUsage ? oracle : { ...oracle, usage: null });
    expect(result.text + result.reasoning + JSON.stringify(result.toolCalls)).not.toBe('[]');
    expect(metered).toMatchObject({
      status: 'succeeded',
      estimated: !saysUsage,
      finish_reason: result.finish,
      ...(saysUsage && { input_tokens: result.usage.input, output_tokens: result.usage.output }),
    });
    expect(received).toHaveLength(1);
  });

  it.each(all.filter(({ provider, file }) => provider === 'amazon-bedrock' && file.includes('json')))(
    'tells $file as text where JSON was asked for, as the package does',
    async ({ provider, file, how }) => {
      const streamed = file.endsWith('.chunks.txt');
      const body = recording(`${provider}/${file}`);
      const script = streamed ? how.streamOf(body) : replayDocument(body);
      const request = { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
      const { received, ...result } = await readThroughSluice({ provider, script, streamed, request });
      const options = { responseFormat: { type: 'json' as const, name: 'answer', schema } };
      const oracle = inOpenAiTerms(await readByOracle(how.oracle, script, streamed, options));
      expect({ ...result, usage: null }).toEqual({ ...oracle, usage: null });
      expect(result.toolCalls.map(({ name }) => name)).not.toContain('json');
      expect(JSON.stringify(received[0]?.json.toolConfig)).toContain('"value"');
    },
  );
});
