import type { SluiceError } from '../../errors/index.ts';
import { requestedModelOf } from '../usage/rejections.ts';
import { logFailure } from './log-failure.ts';
import type { RequestContext } from './request-context.ts';
import type { ResolvedRequest } from './resolve.ts';

/**
 * Ends a request before its begin record.
 * @param resolved null where the request was not parsed
 */
export function rejectRequest<Request, Summary>(
  context: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary> | null,
  error: SluiceError,
): void {
  const { dependencies, call } = context;
  logFailure(dependencies.log, call.requestId, error);
  recordRejected(context, resolved, error);
  context.end(error.status, error.code);
  call.response.fail(error, null);
}

/** Internal requests of the gateway are not recorded, nor those whose caller waits and runs them again. */
function recordRejected<Request, Summary>(
  {
    dependencies: { rejections },
    call: { eventId, key, asOperator, rerunBeganAt, trace = null },
    capability,
  }: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary> | null,
  error: SluiceError,
): void {
  if (asOperator === true || rerunBeganAt !== undefined) return;
  const known =
    resolved === null
      ? requestedModelOf(error)
      : {
          requestedModel: resolved.requestedModel,
          // No provider was called: its error rate is not affected.
          target: { model: resolved.target.model, provider: '' },
        };
  rejections.record({
    eventId,
    key,
    capability: capability.name,
    protocol: capability.protocol ?? null,
    ...known,
    error,
    trace: resolved?.trace ?? trace,
  });
}
