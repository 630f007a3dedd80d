import type { SluiceError } from '../errors/index.ts';
import type { Call, ExchangeParts } from './call.ts';
import type { Opening } from './opening.ts';
import { modelOf } from './rejections.ts';

/**
 * Records a request that ends before it begins. What the gateway asks by itself is no request of the account's.
 * @param opening null where the request was not understood
 */
export function recordRejected<Request>(
  { rejections }: ExchangeParts,
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
          // No provider was asked: its error rate is not touched.
          target: { model: opening.route.model, provider: '' },
        };
  rejections.record({ eventId, key, capability, ...known, error });
}
