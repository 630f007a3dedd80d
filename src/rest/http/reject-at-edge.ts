import type { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ClientResponse } from '../../gateway/client-response.ts';
import type { Pipeline } from '../../gateway/pipeline.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { requestedModelOf } from '../../gateway/usage/rejected-request.ts';
import type { RequestTrace } from '../../gateway/usage/request-trace.ts';
import { writtenModel } from '../../gateway/usage/written-model.ts';
import type { RequestIdentity } from '../headers/request-headers.ts';
import type { RejectedRoute } from '../paths/rejected-route.ts';

/** A request that can be rejected and recorded for its key. */
export interface RejectableRequest {
  readonly key: KeyRecord;
  readonly identity: Pick<RequestIdentity, 'eventId'>;
  readonly route: RejectedRoute;
  /** Its body, which may name the model; null where it was not read. */
  readonly input: RequestInput | null;
  /** Null or absent where it was not read. */
  readonly trace?: RequestTrace | null;
}

/** Responds to and records a request that fails before it enters the pipeline. */
export function rejectAtEdge(
  pipeline: Pipeline,
  request: RejectableRequest & { readonly clientResponse: Pick<ClientResponse, 'fail'> },
  error: SluiceError,
): void {
  recordAtEdge(pipeline, request, error);
  request.clientResponse.fail(error, null);
}

/** Counts and records a request that fails before it enters the pipeline. */
export function recordAtEdge({ dependencies }: Pipeline, request: RejectableRequest, error: SluiceError): void {
  const { key, identity, route, input, trace = null } = request;
  const { capability, protocol, model } = route;
  const { requestedModel, target } = requestedModelOf(error);
  dependencies.metrics.errorAnswered(error.code);
  dependencies.rejections.record({
    eventId: identity.eventId,
    key,
    capability,
    protocol,
    requestedModel: model ?? requestedModel ?? writtenModel(input),
    target,
    error,
    trace,
  });
}
