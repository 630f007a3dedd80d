import { SluiceError } from '../../errors/index.ts';
import { isObject, type JsonObject } from '../canonical/json-members.ts';
import { readModelName } from '../canonical/validation/common-members.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { completionRequestSchema, type CompletionRequest } from './request-schema.ts';

const assertSchema: Validator<CompletionRequest> = compileValidator(completionRequestSchema);

/** OpenAI's default. */
const DEFAULT_MAX_TOKENS = 16;
/** Each is a call of the provider. */
const MAX_PROMPTS = 64;
/** Members that the chat has under other names, or that Sluice itself applies. */
const replaced: ReadonlySet<string> = new Set([
  'prompt',
  'suffix',
  'max_tokens',
  'best_of',
  'logprobs',
  'echo',
  'stream',
  'stream_options',
]);

/** @throws SluiceError of status 400, naming the invalid member */
export function decodeCompletionRequest(body: unknown): CompletionRequest {
  readModelName(body);
  assertSchema(body);
  const { best_of: bestOf, n, stream, prompt } = body;
  if (Array.isArray(prompt) && new Set(prompt.map(kindOf)).size > 1)
    throw invalid('prompt', 'its items must be all texts, all tokens, or all lists of tokens.');
  if (prompt === '') throw invalid('prompt', 'it must not be empty.');
  if (!bestOf) return body;
  if (bestOf < (n ?? 1)) throw invalid('best_of', 'it must be at least `n`.');
  if (stream === true && bestOf > (n ?? 1)) throw invalid('best_of', 'it cannot be streamed.');
  return body;
}

function kindOf(item: unknown): string {
  return Array.isArray(item) ? 'tokens' : typeof item;
}

/** Maximum number of tokens of all choices together, the ones that `best_of` discards included. */
export function maxOutputTokens(request: CompletionRequest): number {
  return (request.max_tokens ?? DEFAULT_MAX_TOKENS) * Math.max(request.n ?? 1, request.best_of ?? 1) * prompts(request);
}

function prompts({ prompt }: CompletionRequest): number {
  return typeof prompt === 'string' || typeof prompt[0] === 'number' ? 1 : prompt.length;
}

/** The prompts, where they are texts; null for tokens, and for an empty text. */
export function promptTexts({ prompt }: CompletionRequest): readonly string[] | null {
  if (typeof prompt === 'string') return [prompt];
  const texts = prompt.filter((each) => typeof each === 'string' && each !== '');
  return texts.length === prompt.length ? texts.map(String) : null;
}

/** Why a request cannot be converted to a chat; null where it can. */
export function conversionRefusal(request: CompletionRequest): SluiceError | null {
  const { suffix, best_of: bestOf, n, echo, logprobs, max_tokens: limit } = request;
  const texts = promptTexts(request);
  if (texts === null) return unsupported('prompt', 'must be a text, or texts that are not empty');
  if (texts.length > MAX_PROMPTS) return unsupported('prompt', `must have at most ${MAX_PROMPTS} texts`);
  if (suffix) return unsupported('suffix', 'cannot be converted');
  if (bestOf && bestOf > (n ?? 1)) return unsupported('best_of', 'cannot be more than `n`');
  if (limit === 0) return unsupported('max_tokens', 'must be at least 1');
  if (echo === true && logprobs != null) return unsupported('logprobs', 'cannot be combined with `echo`');
  return null;
}

/** A chat request, not validated yet. @param prompt one of `promptTexts` */
export function chatOf(request: CompletionRequest, prompt: string): JsonObject {
  const { max_tokens: limit, logprobs } = request;
  const others = Object.entries(request).filter(([name, value]) => !replaced.has(name) && value != null);
  return {
    ...Object.fromEntries(others),
    messages: [{ role: 'user', content: prompt }],
    max_completion_tokens: limit ?? DEFAULT_MAX_TOKENS,
    ...(logprobs != null && { logprobs: true, top_logprobs: logprobs }),
  };
}

/** Streams always report their usage, because it is billed. @returns the JSON of `stream_options`; null for no stream */
export function streamOptions({ stream, stream_options: options }: CompletionRequest): string | null {
  if (stream !== true) return null;
  return JSON.stringify({ ...(isObject(options) ? options : {}), include_usage: true });
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}

function unsupported(param: string, reason: string): SluiceError {
  return new SluiceError('unsupported_value', {
    param,
    values: { reason: `${reason} for a model whose provider does not serve completions.` },
  });
}
