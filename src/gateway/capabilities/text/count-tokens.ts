import { SluiceError } from '../../../errors/index.ts';
import { membersOf } from '../../../protocols/canonical/json-members.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { camelCased } from '../../../protocols/gemini/decode-request/camel-case.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import { estimateTokens, valueOf, type RequestInput } from '../../request-input.ts';
import { allowedTargets, unknownModel } from '../../policy/allowed-targets.ts';
import type { Router } from '../../routing/resolved-route.ts';
import { textsOf } from './texts-of.ts';

/** What an image costs at most with Claude: others are near. Source: platform.claude.com/docs/en/build-with-claude/vision. */
const IMAGE_TOKENS = 1_600;

/** Who counts, and with which models. */
export interface Counting {
  readonly router: Router;
  readonly key: KeyRecord;
}

/**
 * Estimates the input tokens of a request to `/v1/messages`.
 * @throws SluiceError of status 400 or 404
 */
export function countMessageTokens(counting: Counting, input: RequestInput): number {
  const value = valueOf(input);
  const { system, messages, tools } = membersOf(value);
  requireItems('messages', messages);
  requireModel(counting, readModelName(value));
  return estimateInputTokens([system, messages, tools]);
}

/**
 * The same of a request to `/v1/responses`.
 * @param earlier the items of the conversation before its own
 * @throws SluiceError of status 400 or 404
 */
export function countResponseTokens(counting: Counting, input: RequestInput, earlier: readonly object[] = []): number {
  const value = valueOf(input);
  const { instructions, input: items, tools, previous_response_id: previous, conversation } = membersOf(value);
  const isContinued = (previous ?? conversation ?? null) !== null;
  if (typeof items !== 'string' && !(isContinued && (items ?? null) === null)) requireItems('input', items);
  requireModel(counting, readModelName(value));
  return estimateInputTokens([instructions, earlier, items, tools]);
}

/**
 * The same of a request to `countTokens`: its `contents`, or a complete request in `generateContentRequest`.
 * @throws SluiceError of status 400 or 404
 */
export function countGeminiTokens(counting: Counting, model: string, input: RequestInput): number {
  const { contents: own, generateContentRequest } = membersOf(camelCased(valueOf(input)));
  const request = generateContentRequest === undefined ? { contents: own } : membersOf(generateContentRequest);
  const { systemInstruction, contents, tools }: Readonly<Record<string, unknown>> = request;
  requireItems('contents', contents);
  requireModel(counting, model);
  return estimateInputTokens([systemInstruction, contents, tools]);
}

function requireItems(param: string, items: unknown): void {
  if (!Array.isArray(items) || items.length === 0) throw new SluiceError('missing_required_parameter', { param });
}

function requireModel({ router, key }: Counting, model: string): void {
  const route = router.resolve(model, key);
  const isAllowed = route && allowedTargets({ key }, route);
  if (route?.listed.some((target) => isAllowed?.(target) !== false)) return;
  throw unknownModel(key, router, model);
}

/** Estimates the input tokens of a request by its texts and images. */
function estimateInputTokens(values: readonly unknown[]): number {
  const { texts, images } = textsOf(values);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return Math.max(1, estimateTokens(bytes) + images.length * IMAGE_TOKENS);
}
