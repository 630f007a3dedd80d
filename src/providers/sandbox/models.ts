import { SluiceError } from '../../errors/index.ts';

/** The capability of each sandbox model. */
const work: ReadonlyMap<string, string> = new Map([
  ['chat', 'chat'],
  ['embedding', 'embeddings'],
  ['image', 'images'],
  ['moderation', 'moderation'],
  ['rerank', 'rerank'],
  ['speech', 'speech'],
  ['transcription', 'transcription'],
  ['video', 'video'],
]);

/**
 * Each sandbox model has one capability.
 * @throws SluiceError capability_not_supported for another capability of a model; model_not_found for an unknown model
 */
export function requireModel(model: string, served: string): void {
  if (model === served) return;
  if (!work.has(model)) throw new SluiceError('model_not_found', { values: { model: `sandbox/${model}` } });
  const capability = `${work.get(served) ?? served} with sandbox/${model}`;
  throw new SluiceError('capability_not_supported', { values: { provider: 'sandbox', capability } });
}
