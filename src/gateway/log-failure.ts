import type { SluiceError } from '../errors/index.ts';
import type { PipelineLog } from './call.ts';
import type { Target } from './routing/target.ts';

/** The longest chain of causes that is looked through. */
const MAX_CAUSES = 5;

const places = new WeakMap<SluiceError, Target>();

/** Keeps where a try failed, for the log. */
export function failedAt(error: SluiceError, route: Target): void {
  places.set(error, route);
}

/** Tells the operator of what is ours to mend, or a provider's. A provider's own words may repeat what it was sent: they are left out. */
export function logFailure(log: PipelineLog, requestId: string, error: SluiceError): void {
  const { code, detail, upstream, upstreamStatus } = error;
  const route = places.get(error);
  const told = {
    code,
    ...(route && { provider: route.connection.provider, model: route.upstreamModel }),
    ...(upstreamStatus !== null && { upstreamStatus }),
    ...(upstream?.code && { upstreamCode: upstream.code.slice(0, 64) }),
    ...(detail !== undefined && { detail }),
    requestId,
  };
  if (code === 'internal_error') log.error({ ...told, err: error.cause }, 'a request failed');
  // A mistake of the caller's is no news, whatever was met in finding it.
  else if (error.status < 500 && route === undefined) return;
  else if (detail || error.cause || (route && error.status >= 500))
    log.warn({ ...told, ...reasonOf(error) }, 'a provider failed a request');
}

/** The system's and undici's own faults say all in a line; a parser's text would hold a part of the answer. */
function reasonOf(error: SluiceError): { reason: string } | null {
  let cause: unknown = error.cause;
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
    if ('syscall' in cause && typeof cause.syscall === 'string' && cause.message !== '')
      return { reason: cause.message };
    if (!(inner instanceof Error))
      return { reason: 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name };
    cause = inner;
  }
  return null;
}
