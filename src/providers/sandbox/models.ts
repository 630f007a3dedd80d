import { SluiceError } from '../../errors/index.ts';

/** Each of the sandbox's models does one thing. @throws SluiceError model_not_found */
export function requireModel(model: string, ...served: readonly string[]): void {
  if (!served.includes(model)) throw new SluiceError('model_not_found', { values: { model: `sandbox/${model}` } });
}
