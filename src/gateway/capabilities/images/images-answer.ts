import { SluiceError } from '../../../errors/index.ts';
import type { ParsedResponse } from '../capability.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import { imagesUsage, type ImagesSummary } from './images-usage.ts';

/** @throws SluiceError provider_invalid_response */
export function parseImagesResponse(provider: string, body: Buffer, summary: ImagesSummary): ParsedResponse {
  const answer = tryParse(body.toString());
  const count = isObject(answer) ? imagesOf(answer).length : 0;
  if (!isObject(answer) || count === 0)
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no images' });
  return {
    usage: imagesUsage(answer, count, summary),
    finishReason: null,
    estimatedOutputTokens: 0,
    updates: () => [],
  };
}

/** The items of a response that are images. */
export function imagesOf(answer: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const items: unknown[] = Array.isArray(answer.data) ? answer.data : [];
  return items.filter(isObject).filter(({ b64_json: b64, url }) => isText(b64) || isText(url));
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
