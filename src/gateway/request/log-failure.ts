import type { SluiceError } from '../../errors/index.ts';
import type { PipelineLog } from '../call.ts';
import type { Target } from '../routing/target.ts';
import { logExhausted } from './log-exhausted.ts';

/** The maximum depth of causes that is searched. */
const MAX_CAUSES = 5;

const failedTargets = new WeakMap<SluiceError, Target>();

/** Remembers the target of a failed attempt, for the log. */
export function setFailedTarget(error: SluiceError, target: Target): void {
  failedTargets.set(error, target);
}

/** Logs internal and provider failures. A provider's message may repeat the request and is not logged. */
export function logFailure(log: PipelineLog, requestId: string, error: SluiceError): void {
  const { code, detail, upstream, upstreamStatus } = error;
  if (code === 'resources_exhausted') return logExhausted(log, error);
  const target = failedTargets.get(error);
  const fields = {
    code,
    ...(target && { provider: target.connection.provider, model: target.upstreamModel }),
    ...(upstreamStatus !== null && { upstreamStatus }),
    ...(upstream?.code && { upstreamCode: upstream.code.slice(0, 64) }),
    ...(detail !== undefined && { detail }),
    requestId,
  };
  if (code === 'internal_error') log.error({ ...fields, err: error.cause }, 'a request failed');
  // Client errors are not logged, whatever their cause.
  else if (error.status < 500 && target === undefined) return;
  else if (detail || error.cause || (target && error.status >= 500))
    log.warn({ ...fields, ...reasonOf(error) }, 'a provider failed a request');
}

/** System and undici errors have a one-line message; a parser's message would contain part of the response. */
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
