import type { AccountRoute } from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { enumValue } from './enum-value.ts';
import { toModeration } from './moderation.types.ts';
import { BatchMode, ParameterPolicy, TargetOrder } from './route-preview.types.ts';
import type { Route } from './route.types.ts';

export function toRoute({ id, name, settings, createdAt, updatedAt }: AccountRoute): Route {
  const { order, sticky, parameters, retries, batches, timeouts, larger, cache, moderation } = settings;
  return {
    id: toGlobalId('Route', id),
    name,
    targets: [...settings.targets],
    order: order === undefined ? null : enumValue(TargetOrder, order),
    sticky: sticky ?? null,
    parameters: parameters === undefined ? null : enumValue(ParameterPolicy, parameters),
    retries: retries ?? null,
    batches: batches === undefined ? null : enumValue(BatchMode, batches),
    timeouts: {
      connectSeconds: timeouts?.connect ?? null,
      answerSeconds: timeouts?.answer ?? null,
      headersSeconds: timeouts?.headers ?? null,
      firstTokenSeconds: timeouts?.firstToken ?? null,
      betweenChunksSeconds: timeouts?.betweenChunks ?? null,
    },
    larger: larger ?? null,
    cacheSeconds: cache ?? null,
    moderation: toModeration(moderation),
    createdAt,
    updatedAt,
  };
}
