import { SluiceError } from '../../errors/index.ts';

/** What each of the sandbox's models does, as requests for it are called. */
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
 * Each of the sandbox's models does one thing.
 * @throws SluiceError capability_not_supported for a model that does another thing; model_not_found for one that there is not
 */
export function requireModel(model: string, served: string): void {
  if (model === served) return;
  if (!work.has(model)) throw new SluiceError('model_not_found', { values: { model: `sandbox/${model}` } });
  const capability = `${work.get(served) ?? served} with sandbox/${model}`;
  throw new SluiceError('capability_not_supported', { values: { provider: 'sandbox', capability } });
}
