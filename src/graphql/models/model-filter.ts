import { SluiceError } from '../../errors/index.ts';
import type { ModelListing } from '../../gateway/keys/model-directory.ts';
import { ModelOrder, type ModelFilter } from './model.types.ts';

const MAX_CAPABILITIES = 16;
const MAX_SEARCH_LENGTH = 200;

/** @throws SluiceError bad_user_input */
export function modelMatcher(filter: ModelFilter): (model: ModelListing) => boolean {
  const { provider, capability, inputModality, outputModality, minContextWindow, deprecated } = filter;
  const matchesTerms = termsMatcher(filter);
  const capabilities = [...(filter.capabilities ?? []), ...(capability ? [capability] : [])];
  if (capabilities.length > MAX_CAPABILITIES) throw invalid('filter.capabilities', `at most ${MAX_CAPABILITIES}`);
  if ((filter.search?.length ?? 0) > MAX_SEARCH_LENGTH)
    throw invalid('filter.search', `at most ${MAX_SEARCH_LENGTH} characters`);
  const words = (filter.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const maxInput = filter.maxInputPrice == null ? Infinity : Number(filter.maxInputPrice);
  const maxOutput = filter.maxOutputPrice == null ? Infinity : Number(filter.maxOutputPrice);
  return (model) => {
    if (provider && model.provider !== provider) return false;
    if (inputModality && !model.inputModalities.includes(inputModality)) return false;
    if (outputModality && !model.outputModalities.includes(outputModality)) return false;
    if (!matchesTerms(model)) return false;
    if (deprecated != null && (model.deprecation !== null) !== deprecated) return false;
    if (minContextWindow && (model.contextWindow ?? 0) < minContextWindow) return false;
    if (maxInput !== Infinity && tokenPrice(model, 'input') > maxInput) return false;
    if (maxOutput !== Infinity && tokenPrice(model, 'output') > maxOutput) return false;
    if (!capabilities.every((each) => model.capabilities.includes(each))) return false;
    const name = `${model.id} ${model.name}`.toLowerCase();
    return words.every((word) => name.includes(word));
  };
}

/** @throws SluiceError bad_user_input */
function termsMatcher({ region, trainsOnData, maxRetentionDays }: ModelFilter): (model: ModelListing) => boolean {
  if ((region?.length ?? 0) > MAX_SEARCH_LENGTH)
    throw invalid('filter.region', `at most ${MAX_SEARCH_LENGTH} characters`);
  if (maxRetentionDays != null && maxRetentionDays < 0) throw invalid('filter.maxRetentionDays', 'at least 0');
  return ({ region: servedIn, dataPolicy }) => {
    if (region != null && servedIn !== region) return false;
    if (trainsOnData != null && dataPolicy.trainsOnData !== trainsOnData) return false;
    return maxRetentionDays == null || (dataPolicy.retentionDays ?? Infinity) <= maxRetentionDays;
  };
}

/** USD per 1,000,000 tokens; 0 for models that are not billed, Infinity without a price per token. */
function tokenPrice({ pricing, isUnpriced }: ModelListing, kind: 'input' | 'output'): number {
  if (pricing === null) return isUnpriced ? Infinity : 0;
  const { input, output, units = [] } = pricing;
  const isByUnit = units.length > 0 && Number(input) === 0 && Number(output) === 0;
  return isByUnit ? Infinity : Number(pricing[kind]);
}

const byId = (a: ModelListing, b: ModelListing): number => (a.id < b.id ? -1 : 1);

function byPrice(kind: 'input' | 'output'): (a: ModelListing, b: ModelListing) => number {
  return (a, b) => {
    const [first, second] = [tokenPrice(a, kind), tokenPrice(b, kind)];
    return first === second ? byId(a, b) : first - second;
  };
}

export const modelOrders: Readonly<Record<ModelOrder, (a: ModelListing, b: ModelListing) => number>> = {
  [ModelOrder.ID]: byId,
  [ModelOrder.NEWEST]: (a, b) => b.created - a.created || byId(a, b),
  [ModelOrder.CONTEXT_WINDOW]: (a, b) => (b.contextWindow ?? 0) - (a.contextWindow ?? 0) || byId(a, b),
  [ModelOrder.INPUT_PRICE]: byPrice('input'),
  [ModelOrder.OUTPUT_PRICE]: byPrice('output'),
};

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
