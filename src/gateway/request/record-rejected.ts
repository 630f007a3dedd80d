import type { SluiceError } from '../../errors/index.ts';
import type { Call, RequestDependencies } from '../call.ts';
import type { Opening } from './opening.ts';
import { modelOf } from '../usage/rejections.ts';

/**
 * Records a request that was rejected before its begin record. Internal requests of the gateway are not recorded.
 * @param opening null where the request was not parsed
 */
export function recordRejected<Request>(
  { rejections }: RequestDependencies,
  { eventId, key, asOperator }: Call,
  capability: string,
  opening: Opening<Request> | null,
  error: SluiceError,
): void {
  if (asOperator === true) return;
  const known =
    opening === null
      ? modelOf(error)
      : {
          requestedModel: opening.requestedModel,
          // No provider was called: its error rate is not affected.
          target: { model: opening.route.model, provider: '' },
        };
  rejections.record({ eventId, key, capability, ...known, error });
}
