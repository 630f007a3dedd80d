import type { SluiceError } from '../../errors/index.ts';
import { requesterOf } from '../call.ts';
import { requestedModelOf, type RejectedModel } from '../usage/rejected-request.ts';
import { writtenModel } from '../usage/written-model.ts';
import { logFailure } from './log-failure.ts';
import type { RequestContext } from './request-context.ts';
import type { ResolvedRequest } from './resolution/resolve.ts';

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
  context: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary> | null,
  error: SluiceError,
): void {
  const { call } = context;
  if (call.asOperator === true || call.rerunBeganAt !== undefined) return;
  recordRefusal(context, resolved, error);
}

/** Records a request that no provider was sent, in bounded number. */
export function recordRefusal<Request, Summary>(
  context: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary> | null,
  error: SluiceError,
): void {
  const { dependencies, call, capability } = context;
  const { eventId, key, trace = null, logged } = call;
  const known =
    resolved === null
      ? withWrittenModel(context, requestedModelOf(error))
      : {
          requestedModel: resolved.requestedModel,
          // No provider was called: its error rate is not affected.
          target: { model: resolved.target.model, provider: '' },
        };
  dependencies.rejections.record({
    eventId,
    key,
    capability: capability.name,
    protocol: capability.protocol ?? null,
    ...known,
    error,
    trace: resolved?.trace ?? trace,
    ...(logged && { contentLevel: logged.level }),
  });
}

/** The model's name of a request that was rejected before it was read. */
function withWrittenModel<Request, Summary>(
  { call, capability, body, dependencies: { router } }: RequestContext<Request, Summary>,
  known: RejectedModel,
): RejectedModel {
  if (known.requestedModel !== null) return known;
  const model = writtenModel(body.input);
  try {
    // The URL may name it in place of the body.
    return { ...known, requestedModel: capability.modelName({ model }, router, requesterOf(call)) };
  } catch {
    return { ...known, requestedModel: model };
  }
}
