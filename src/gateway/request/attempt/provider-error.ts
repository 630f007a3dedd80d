import { SluiceError } from '../../../errors/index.ts';
import type { Target } from '../../routing/target.ts';

/** A failure of a provider that sent no error of its own. */
export function providerError(
  { connection: { provider } }: Target,
  code: 'provider_invalid_response' | 'provider_stream_cut',
  detail?: string,
): SluiceError {
  return new SluiceError(code, { values: { provider }, ...(detail !== undefined && { detail }) });
}
