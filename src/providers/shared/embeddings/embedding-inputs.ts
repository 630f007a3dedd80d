import { SluiceError } from '../../../errors/index.ts';
import type { EmbeddingsRequest } from './embeddings-request.ts';

/** One text, or the tokens of one. */
export type EmbeddingInput = string | readonly number[];

/** The limits of one call. */
export interface CallLimits {
  readonly inputs: number;
  /** Over all inputs; Infinity where the provider sets no limit. */
  readonly tokens: number;
}

/** A lower bound for nearly all texts: an early split costs nothing, a late one is rejected by the provider. */
const MIN_BYTES_PER_TOKEN = 2;
const DEFAULT_BYTES_PER_TOKEN = 4;

/** A single text, or its tokens, becomes a list of one. */
export function inputsOf(input: EmbeddingsRequest['input']): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [input];
  const inputs: EmbeddingInput[] = [];
  const tokens: number[] = [];
  for (const item of input) {
    if (typeof item === 'number') tokens.push(item);
    else inputs.push(item);
  }
  return tokens.length > 0 ? [tokens] : inputs;
}

/** @throws SluiceError unsupported_value for tokens: without their model they cannot be decoded */
export function textsOf(provider: string, input: EmbeddingsRequest['input']): readonly string[] {
  return inputsOf(input).map((item) => (typeof item === 'string' ? item : refuseTokens(provider)));
}

/** Splits a list by the limits of one call, in order. An input that is too long is sent alone: the provider rejects it. */
export function splitInputs<Input extends EmbeddingInput>(
  inputs: readonly Input[],
  limits: CallLimits,
): readonly (readonly Input[])[] {
  const parts: Input[][] = [];
  let part: Input[] = [];
  let tokens = 0;
  for (const input of inputs) {
    const more = limits.tokens === Infinity ? 0 : maxTokensOf(input);
    if (part.length > 0 && (part.length >= limits.inputs || tokens + more > limits.tokens)) {
      parts.push(part);
      [part, tokens] = [[], 0];
    }
    part.push(input);
    tokens += more;
  }
  parts.push(part);
  return parts;
}

/** What is needed to read the response of a part. */
export interface PartSize {
  readonly inputs: number;
  /** Used if the provider reports no token count. */
  readonly estimatedTokens: number;
}

export function sizeOf(inputs: readonly EmbeddingInput[]): PartSize {
  return { inputs: inputs.length, estimatedTokens: estimatedTokens(inputs) };
}

export function estimatedTokens(inputs: readonly EmbeddingInput[]): number {
  return inputs.reduce((sum, input) => sum + tokensOf(input, DEFAULT_BYTES_PER_TOKEN), 0);
}

function maxTokensOf(input: EmbeddingInput): number {
  return tokensOf(input, MIN_BYTES_PER_TOKEN);
}

function tokensOf(input: EmbeddingInput, bytesPerToken: number): number {
  return typeof input === 'string' ? Math.ceil(Buffer.byteLength(input) / bytesPerToken) : input.length;
}

function refuseTokens(provider: string): never {
  throw new SluiceError('unsupported_value', {
    param: 'input',
    values: { reason: `contains tokens, but provider ${provider} accepts text only.` },
  });
}
