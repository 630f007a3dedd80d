import type { SluiceError } from '../../../errors/index.ts';

/** Whether the provider has refused the call. */
export function isRefusal({ upstreamStatus }: SluiceError): boolean {
  return upstreamStatus !== null && upstreamStatus >= 400 && upstreamStatus < 500 && upstreamStatus !== 408;
}

/** Whether the provider would refuse it again. */
export function isFinal(error: SluiceError): boolean {
  return isRefusal(error) && error.upstreamStatus !== 409 && error.upstreamStatus !== 429;
}
