import { SluiceError } from '../../errors/index.ts';
import type { EmbeddingsRequest } from './embeddings-request.ts';

/** One text, or the tokens of one. */
export type EmbeddingInput = string | readonly number[];

/** What one call may hold. */
export interface CallLimits {
  readonly inputs: number;
  /** Over all inputs; Infinity where the provider sets no limit. */
  readonly tokens: number;
}

/** A word of English has more: so many tokens do hardly any texts have, and a call that is cut too early costs nothing. */
const MIN_BYTES_PER_TOKEN = 2;
const DEFAULT_BYTES_PER_TOKEN = 4;

/** A single text or its tokens are a list of one. */
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

/** @throws SluiceError unsupported_value for tokens: they are another model's, and no text can be made of them */
export function textsOf(provider: string, input: EmbeddingsRequest['input']): readonly string[] {
  return inputsOf(input).map((item) => (typeof item === 'string' ? item : refuseTokens(provider)));
}

/** Cuts a list into what one call takes, in order. What is too long by itself goes alone: the provider shall say so. */
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

/** What of a part its answer is read by. */
export interface PartSize {
  readonly inputs: number;
  /** Should the provider not tell how many it counted. */
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
    values: { reason: `holds tokens, and the provider ${provider} takes texts only.` },
  });
}
