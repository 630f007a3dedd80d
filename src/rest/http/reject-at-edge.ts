import type { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ClientResponse } from '../../gateway/client-response.ts';
import type { Pipeline } from '../../gateway/pipeline.ts';
import type { RequestIdentity } from '../headers/request-headers.ts';

/** A request that can be rejected and recorded for its key. */
export interface RejectableRequest {
  readonly key: KeyRecord;
  readonly identity: Pick<RequestIdentity, 'eventId'>;
  readonly clientResponse: Pick<ClientResponse, 'fail'>;
  readonly capability: string;
}

/** Responds to and records a request that fails before it enters the pipeline. */
export function rejectAtEdge(pipeline: Pipeline, request: RejectableRequest, error: SluiceError): void {
  const { key, identity, clientResponse, capability } = request;
  const { eventId } = identity;
  pipeline.dependencies.metrics.errorAnswered(error.code);
  pipeline.dependencies.rejections.record({ eventId, key, capability, requestedModel: null, target: null, error });
  clientResponse.fail(error, null);
}
