import snapshot from './snapshot.json' with { type: 'json' };
import type { ModelRecord, Snapshot } from './model-record.ts';
import { sandboxModels } from './sandbox-models.ts';

/** Which models exist, what they take and emit, and what they cost. */
export class Catalogue {
  readonly #models = new Map<string, ModelRecord>();

  constructor(models: readonly ModelRecord[] = [...sandboxModels, ...shipped.models]) {
    for (const model of models) this.#models.set(model.id, model);
  }

  get(id: string): ModelRecord | undefined {
    return this.#models.get(id);
  }

  ofProvider(provider: string): ModelRecord[] {
    return [...this.#models.values()].filter((model) => model.provider === provider);
  }
}

const shipped: Snapshot = snapshot;

/** What is said of a model that only its provider knows. */
export function unknownModel(provider: string, model: string): ModelRecord {
  return {
    id: `${provider}/${model}`,
    provider,
    name: model,
    contextWindow: null,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    capabilities: ['chat'],
    rates: null,
    priceVersion: 'unpriced',
    releasedOn: null,
  };
}
