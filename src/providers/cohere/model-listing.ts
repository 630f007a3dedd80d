import { SluiceError } from '../../errors/index.ts';
import { getJson } from '../bridge/package/json-listing.ts';
import type { PackageContext } from '../bridge/package/package-models.ts';

const MODELS_A_PAGE = 1_000;
const MAX_PAGES = 20;

/**
 * Source: https://docs.cohere.com/reference/list-models. Its API version differs from that of chat.
 * @throws SluiceError provider_*
 */
export async function listCohereModels(
  provider: string,
  baseUrl: string,
  context: PackageContext,
): Promise<readonly string[]> {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v\d+$/, '');
  const names: string[] = [];
  let page = '';
  for (let read = 0; read < MAX_PAGES; read++) {
    const query = `page_size=${MODELS_A_PAGE}${page === '' ? '' : `&page_token=${encodeURIComponent(page)}`}`;
    const { models, next_page_token: next } = listing(
      provider,
      await getJson(provider, context, `${root}/v1/models?${query}`),
    );
    for (const model of models) if (hasName(model)) names.push(model.name);
    if (typeof next !== 'string' || next === '') return names;
    page = next;
  }
  return names;
}

function listing(
  provider: string,
  answer: unknown,
): { readonly models: readonly unknown[]; readonly next_page_token?: unknown } {
  if (typeof answer === 'object' && answer !== null && 'models' in answer && Array.isArray(answer.models))
    return { ...answer, models: answer.models };
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no list of models' });
}

function hasName(model: unknown): model is { readonly name: string } {
  return typeof model === 'object' && model !== null && 'name' in model && typeof model.name === 'string';
}
