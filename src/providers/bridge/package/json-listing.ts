import { SluiceError, unreachable } from '../../../errors/index.ts';
import { boundedText } from '../../shared/http/bounded-text.ts';
import { readOpenAiError, refusalError } from '../../shared/http/upstream-error.ts';
import type { PackageContext } from './package-models.ts';
import { parseAnswer } from '../../shared/json/json-complexity.ts';

const LIST_TIMEOUT_MS = 10_000;

/**
 * Gets a JSON document that the package has no call for.
 * @throws SluiceError provider_*
 */
export async function getJson(provider: string, { fetch, apiKey }: PackageContext, url: string): Promise<unknown> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  let answer;
  let text;
  try {
    answer = await fetch(url, {
      headers: { accept: 'application/json', ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }) },
      signal,
    });
    text = answer.body === null ? '' : await boundedText(answer.body);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw unreachable({ provider, cause });
  }
  if (answer.status !== 200)
    throw refusalError(provider, answer.status, Object.fromEntries(answer.headers), readOpenAiError(text));
  try {
    return parseAnswer(text);
  } catch {
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no JSON' });
  }
}
