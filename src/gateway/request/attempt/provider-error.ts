import { SluiceError } from '../../../errors/index.ts';
import type { Upstream } from '../../../providers/contract.ts';
import type { Target } from '../../routing/target.ts';

/** @param upstream null before the provider is called */
export function isUnsent(upstream: Upstream | null): boolean {
  return upstream === null || upstream.isSent === false;
}

/** Whether an error refuses the request, rather than report a failure of a provider or of the way to it. */
export function isRefusal({ code, status, upstream }: SluiceError): boolean {
  if (code === 'resources_exhausted') return true;
  return status < 500 && upstream === undefined && !code.startsWith('provider_');
}

/** A failure of a provider that sent no error of its own. */
export function providerError(
  { connection: { provider } }: Target,
  code: 'provider_invalid_response' | 'provider_stream_cut',
  detail?: string,
): SluiceError {
  return new SluiceError(code, { values: { provider }, ...(detail !== undefined && { detail }) });
}
