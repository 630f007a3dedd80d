import { describe, expect, it } from 'vitest';
import { explainCost } from '../../../src/catalogue/prices/explain-cost.ts';
import { compileRates, costNano } from '../../../src/catalogue/prices/price.ts';
import type { TokenRates } from '../../../src/catalogue/prices/token-rates.ts';
import { readChatUsage } from '../../../src/gateway/capabilities/chat/chat-usage.ts';
import { chatUsage as fromGoogle } from '../../../src/protocols/gemini/usage.ts';
import { usageObject } from '../../../src/protocols/canonical/usage.ts';
import type { Usage } from '../../../src/protocols/canonical/usage.ts';

/** The usage that a provider reports in its own format, one per line of the table. */
interface Reported {
  readonly what: string;
  readonly rates: TokenRates;
  /** What the provider answers. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Nano-USD: a token at $1 a million costs 1,000. */
  readonly cost: number;
  /** Label and nano-USD of each step. */
  readonly steps: readonly (readonly [label: string, nano: number])[];
}

function checkTable(rows: readonly Reported[], translate: (raw: Reported['raw']) => unknown): void {
  it.each(rows)('$what', ({ rates, raw, cost, steps }) => {
    const used = readChatUsage(translate(raw));
    if (used === null) throw new Error('no usage was read');
    expect(costNano(compileRates(rates), used)).toBe(BigInt(cost));
    expect(explainCost(rates, used).map(({ label, amountNano }) => [label, Number(amountNano)])).toEqual(steps);
    expect(steps.reduce((sum, [, nano]) => sum + nano, 0)).toBe(cost);
  });
}

// Rates as published by the providers for models of mid-2026.
const gpt: TokenRates = {
  input: '5',
  cachedInput: '0.5',
  output: '30',
  tiers: [{ aboveTokens: 272_000, input: '10', cachedInput: '1', output: '45' }],
};
const gptAudio: TokenRates = { input: '2.5', output: '10', audioInput: '32', audioOutput: '64' };
const gptCacheWrites: TokenRates = { input: '5', cachedInput: '0.5', cacheWrite: '6.25', output: '30' };
const qwen: TokenRates = { input: '0.4', output: '1.2', reasoning: '4' };
const sonnet: TokenRates = { input: '3', cachedInput: '0.3', cacheWrite: '3.75', cacheWrite1h: '6', output: '15' };
const geminiPro: TokenRates = {
  input: '1.25',
  cachedInput: '0.125',
  output: '10',
  tiers: [{ aboveTokens: 200_000, input: '2.5', cachedInput: '0.25', output: '15' }],
};
const geminiFlash: TokenRates = { input: '0.3', cachedInput: '0.03', audioInput: '1', output: '2.5' };

describe("OpenAI's usage, whose totals include every kind, is priced", () => {
  checkTable(
    [
      {
        what: 'with cached input at its rate, and reasoning as output',
        rates: gpt,
        raw: {
          prompt_tokens: 2_006,
          completion_tokens: 300,
          total_tokens: 2_306,
          prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0 },
        },
        // (2,006 − 1,920) × $5 + 1,920 × $0.50 + 300 × $30, a million
        cost: 86 * 5_000 + 1_920 * 500 + 300 * 30_000,
        steps: [
          ['input tokens', 430_000],
          ['cached input tokens', 960_000],
          ['output tokens', 9_000_000],
        ],
      },
      {
        what: 'at the long-context rates, output too, where input with its cached part passes the bound',
        rates: gpt,
        raw: {
          prompt_tokens: 272_001,
          completion_tokens: 10,
          prompt_tokens_details: { cached_tokens: 272_000 },
        },
        cost: 1 * 10_000 + 272_000 * 1_000 + 10 * 45_000,
        steps: [
          ['input tokens (input above 272000 tokens)', 10_000],
          ['cached input tokens (input above 272000 tokens)', 272_000_000],
          ['output tokens (input above 272000 tokens)', 450_000],
        ],
      },
      {
        what: 'with input that was written to the cache',
        rates: gptCacheWrites,
        raw: {
          prompt_tokens: 3_000,
          completion_tokens: 1,
          prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 1_500 },
        },
        // 3,000 − 1,000 − 1,500 = 500 plain
        cost: 500 * 5_000 + 1_000 * 500 + 1_500 * 6_250 + 30_000,
        steps: [
          ['input tokens', 2_500_000],
          ['cached input tokens', 500_000],
          ['input tokens written to the cache', 9_375_000],
          ['output tokens', 30_000],
        ],
      },
      {
        what: 'with sound heard and spoken at its own rates',
        rates: gptAudio,
        raw: {
          prompt_tokens: 120,
          completion_tokens: 260,
          prompt_tokens_details: { cached_tokens: 0, audio_tokens: 100, text_tokens: 20, image_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 200, text_tokens: 60 },
        },
        cost: 20 * 2_500 + 100 * 32_000 + 60 * 10_000 + 200 * 64_000,
        steps: [
          ['input tokens', 50_000],
          ['audio input tokens', 3_200_000],
          ['output tokens', 600_000],
          ['audio output tokens', 12_800_000],
        ],
      },
      {
        what: 'with reasoning apart where it has a rate of its own, as at Alibaba',
        rates: qwen,
        raw: {
          prompt_tokens: 1_000,
          completion_tokens: 900,
          completion_tokens_details: { reasoning_tokens: 700 },
        },
        cost: 1_000 * 400 + 200 * 1_200 + 700 * 4_000,
        steps: [
          ['input tokens', 400_000],
          ['output tokens', 240_000],
          ['reasoning tokens', 2_800_000],
        ],
      },
      {
        what: 'without details as plain tokens',
        rates: gpt,
        raw: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
        cost: 10 * 5_000 + 20 * 30_000,
        steps: [
          ['input tokens', 50_000],
          ['output tokens', 600_000],
        ],
      },
    ],
    (raw) => raw,
  );
});

describe("Anthropic's usage, whose input tokens exclude cache reads and writes, is priced", () => {
  // Source: docs.anthropic.com, Prompt caching: input_tokens are those after the last cache breakpoint.
  const fromAnthropic = (raw: Reported['raw']): Usage => {
    const of = (name: string, from: object = raw): number =>
      Number(Object.entries(from).find(([key]) => key === name)?.[1]);
    const created = raw.cache_creation ?? {};
    return {
      inputTokens: of('input_tokens') + of('cache_read_input_tokens') + of('cache_creation_input_tokens'),
      outputTokens: of('output_tokens'),
      cachedTokens: of('cache_read_input_tokens'),
      cacheWriteTokens: of('cache_creation_input_tokens'),
      cacheWrite1hTokens: of('ephemeral_1h_input_tokens', created) || 0,
    };
  };
  checkTable(
    [
      {
        what: 'with both at their rates beside it',
        rates: sonnet,
        raw: {
          input_tokens: 21,
          cache_read_input_tokens: 188_086,
          cache_creation_input_tokens: 1_000,
          output_tokens: 393,
        },
        cost: 21 * 3_000 + 188_086 * 300 + 1_000 * 3_750 + 393 * 15_000,
        steps: [
          ['input tokens', 63_000],
          ['cached input tokens', 56_425_800],
          ['input tokens written to the cache', 3_750_000],
          ['output tokens', 5_895_000],
        ],
      },
      {
        what: 'with what is cached for an hour at twice the input',
        rates: sonnet,
        raw: {
          input_tokens: 2_048,
          cache_read_input_tokens: 1_800,
          cache_creation_input_tokens: 248,
          cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
          output_tokens: 503,
        },
        cost: 2_048 * 3_000 + 1_800 * 300 + 148 * 3_750 + 100 * 6_000 + 503 * 15_000,
        steps: [
          ['input tokens', 6_144_000],
          ['cached input tokens', 540_000],
          ['input tokens written to the cache', 555_000],
          ['input tokens written to the cache for an hour', 600_000],
          ['output tokens', 7_545_000],
        ],
      },
    ],
    (raw) => usageObject(fromAnthropic(raw)),
  );
});

describe("Google's usage, whose thoughts are not among the candidates' tokens, is priced", () => {
  const translate = (raw: Reported['raw']): unknown => {
    const usage = fromGoogle(raw);
    return usage && usageObject(usage);
  };
  checkTable(
    [
      {
        what: 'with thoughts as output',
        rates: geminiPro,
        raw: { promptTokenCount: 9, candidatesTokenCount: 27, thoughtsTokenCount: 1_024, totalTokenCount: 1_060 },
        cost: 9 * 1_250 + (27 + 1_024) * 10_000,
        steps: [
          ['input tokens', 11_250],
          ['output tokens', 10_510_000],
        ],
      },
      {
        what: 'with cached content, which is within the prompt, above the long-context bound',
        rates: geminiPro,
        raw: { promptTokenCount: 250_000, cachedContentTokenCount: 200_000, candidatesTokenCount: 100 },
        cost: 50_000 * 2_500 + 200_000 * 250 + 100 * 15_000,
        steps: [
          ['input tokens (input above 200000 tokens)', 125_000_000],
          ['cached input tokens (input above 200000 tokens)', 50_000_000],
          ['output tokens (input above 200000 tokens)', 1_500_000],
        ],
      },
      {
        what: 'at the short rates at the bound itself',
        rates: geminiPro,
        raw: { promptTokenCount: 200_000, candidatesTokenCount: 1 },
        cost: 200_000 * 1_250 + 10_000,
        steps: [
          ['input tokens', 250_000_000],
          ['output tokens', 10_000],
        ],
      },
      {
        what: 'with pictures given and made at their rates',
        rates: { input: '2', output: '12', imageInput: '3', imageOutput: '120' },
        raw: {
          promptTokenCount: 270,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 12 },
            { modality: 'IMAGE', tokenCount: 258 },
          ],
          candidatesTokenCount: 1_140,
          candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
          thoughtsTokenCount: 100,
        },
        cost: 12 * 2_000 + 258 * 3_000 + (20 + 100) * 12_000 + 1_120 * 120_000,
        steps: [
          ['input tokens', 24_000],
          ['image input tokens', 774_000],
          ['output tokens', 1_440_000],
          ['image output tokens', 134_400_000],
        ],
      },
      {
        what: 'with sound in the prompt at its rate, and what tools brought as input',
        rates: geminiFlash,
        raw: {
          promptTokenCount: 310,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 10 },
            { modality: 'AUDIO', tokenCount: 300 },
          ],
          toolUsePromptTokenCount: 40,
          candidatesTokenCount: 5,
        },
        cost: (10 + 40) * 300 + 300 * 1_000 + 5 * 2_500,
        steps: [
          ['input tokens', 15_000],
          ['audio input tokens', 300_000],
          ['output tokens', 12_500],
        ],
      },
    ],
    translate,
  );
});

describe('inconsistent usage', () => {
  const plain = { prompt_tokens: 10, completion_tokens: 5 };

  it.each([
    ['more cached than was given', { prompt_tokens_details: { cached_tokens: 50 } }, 'cachedTokens', 10],
    ['more written than was given', { prompt_tokens_details: { cache_write_tokens: 50 } }, 'cacheWriteTokens', 10],
    ['more sound than was given', { prompt_tokens_details: { audio_tokens: 50 } }, 'audioInputTokens', 10],
    ['more reasoning than was made', { completion_tokens_details: { reasoning_tokens: 50 } }, 'reasoningTokens', 5],
    ['more sound than was made', { completion_tokens_details: { audio_tokens: 50 } }, 'audioOutputTokens', 5],
    [
      'written for an hour and not at all',
      { prompt_tokens_details: { cache_write_1h_tokens: 5 } },
      'cacheWrite1hTokens',
      0,
    ],
    ['no number', { prompt_tokens_details: { audio_tokens: '5' } }, 'audioInputTokens', 0],
  ] as const)('is cut: %s', (_what, details, name, expected) => {
    expect(readChatUsage({ ...plain, ...details })?.[name]).toBe(expected);
  });
});
