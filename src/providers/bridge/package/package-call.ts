import type { ConnectionFetch } from './connection-fetch.ts';
import { packageFailure } from './package-failure.ts';
import type { PackageModels } from './package-models.ts';

/** Where a package's models come from, and how they reach the network. */
export interface PackageCallContext {
  readonly provider: string;
  readonly network: ConnectionFetch;
  /** Loads the package. */
  models(): Promise<PackageModels>;
}

/**
 * One call of a package that answers once.
 * @param param of the request's parameters the one that a package's refusal to send it is about
 * @throws SluiceError, whatever the package threw
 */
export async function packageCall<Answer>(
  { provider, network }: PackageCallContext,
  signal: AbortSignal,
  param: string,
  call: (signal: AbortSignal) => PromiseLike<Answer>,
): Promise<Answer> {
  const watch = {
    unreportedBytes: 0,
    sent: false,
    onSent(): void {
      watch.sent = true;
    },
  };
  // Of its own: what is watched is known by its signal.
  const own = AbortSignal.any([signal]);
  network.watch(own, watch);
  try {
    return await call(own);
  } catch (error) {
    throw packageFailure(provider, error, watch.sent, param);
  }
}
