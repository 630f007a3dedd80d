import { SluiceError } from '../../../errors/index.ts';
import type { Connection } from '../../contract.ts';

/** The chat of a provider that has none. @throws SluiceError capability_not_supported */
export function noChat(provider: string): Connection['chat'] {
  return () => {
    throw new SluiceError('capability_not_supported', { values: { provider, capability: 'chat' } });
  };
}
