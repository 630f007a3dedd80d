import { SluiceError } from '../../errors/index.ts';
import type { ModelListing } from '../../gateway/keys/model-directory.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/**
 * A page of models as Anthropic lists them. Source: platform.claude.com/docs/en/api/models-list.
 * @throws SluiceError invalid_value
 */
export function anthropicModelsPage(models: readonly ModelListing[], query: Readonly<Record<string, unknown>>): object {
  const limit = limitOf(query.limit);
  const before = query.before_id === undefined ? models.length : indexOf(models, 'before_id', query.before_id);
  const from = query.after_id === undefined ? 0 : indexOf(models, 'after_id', query.after_id) + 1;
  const rest = models.slice(from, before);
  // A page before a model ends with the one just before it.
  const isBackward = query.before_id !== undefined && query.after_id === undefined;
  const page = isBackward ? rest.slice(-limit) : rest.slice(0, limit);
  const data = page.map(anthropicModel);
  return {
    data,
    has_more: rest.length > page.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

export function anthropicModel({ id, name, created }: ModelListing): object {
  return { type: 'model', id, display_name: name, created_at: new Date(created * 1_000).toISOString() };
}

function limitOf(given: unknown): number {
  if (given === undefined) return DEFAULT_LIMIT;
  const limit = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new SluiceError('invalid_value', {
    param: 'limit',
    values: { reason: `it must be an integer from 1 to ${MAX_LIMIT}.` },
  });
}

function indexOf(models: readonly ModelListing[], param: string, id: unknown): number {
  const index = models.findIndex((model) => model.id === id);
  if (index < 0) throw new SluiceError('invalid_value', { param, values: { reason: 'it must be the ID of a model.' } });
  return index;
}
