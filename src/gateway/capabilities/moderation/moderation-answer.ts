import { SluiceError } from '../../../errors/index.ts';
import { tokenUsage, type ParsedResponse, type TokenUsage } from '../capability.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import { documentAnswer } from '../json-document.ts';

const MAX_TOKENS = 2_000_000_000;

/** The result for one input. */
export interface ModerationResult {
  readonly flagged: boolean;
  /** Names of the flagged categories. */
  readonly categories: readonly string[];
}

/**
 * Parses OpenAI's moderation response. It reports no usage; converted responses of other providers may. Source:
 * OpenAI's API document, CreateModerationResponse.
 * @throws SluiceError provider_invalid_response
 */
export function parseModerationResponse(provider: string, body: Buffer): ParsedResponse {
  const answer = tryParse(body.toString());
  if (readModerationResults(answer) === null)
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no moderation results' });
  return documentAnswer(readUsage(answer));
}

/** Null for an invalid moderation response: an unreadable result must not pass as unflagged. */
export function readModerationResults(answer: unknown): readonly ModerationResult[] | null {
  if (!isObject(answer) || !Array.isArray(answer.results) || answer.results.length === 0) return null;
  const results: ModerationResult[] = [];
  for (const result of answer.results) {
    if (!isObject(result) || typeof result.flagged !== 'boolean' || !isObject(result.categories)) return null;
    const { categories } = result;
    const named = Object.keys(categories).filter((name) => categories[name] === true);
    results.push({ flagged: result.flagged, categories: named });
  }
  return results;
}

function readUsage(answer: unknown): TokenUsage | null {
  const usage = isObject(answer) ? answer.usage : null;
  const tokens = isObject(usage) ? usage.prompt_tokens : null;
  const isPlausible = typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;
  return isPlausible ? tokenUsage(tokens, 0) : null;
}
