import type { ConnectionFetch } from './connection-fetch.ts';
import { packageFailure } from './package-failure.ts';
import type { PackageModels } from './package-models.ts';

/** The source of a package's models, and their network access. */
export interface PackageCallContext {
  readonly provider: string;
  readonly network: ConnectionFetch;
  /** Loads the package. */
  models(): Promise<PackageModels>;
}

/**
 * One unstreamed call of a package.
 * @param param the request's parameter that a package's refusal to send it refers to
 * @throws SluiceError, whatever the package threw
 */
export async function packageCall<Result>(
  { provider, network }: PackageCallContext,
  signal: AbortSignal,
  param: string,
  call: (signal: AbortSignal) => PromiseLike<Result>,
): Promise<Result> {
  const watch = {
    unreportedBytes: 0,
    sent: false,
    onSent(): void {
      watch.sent = true;
    },
  };
  // A signal of its own: observers are registered by signal.
  const own = AbortSignal.any([signal]);
  network.watch(own, watch);
  try {
    return await call(own);
  } catch (error) {
    throw packageFailure(provider, error, watch.sent, param);
  }
}
