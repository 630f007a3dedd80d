import type { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import type { EarlierItems } from '../../gateway/capabilities/responses/earlier-items.ts';
import type { ConnectionSource } from '../../gateway/capabilities/responses/held-response.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import type { Pipeline } from '../../gateway/pipeline.ts';
import type { ConversationsService } from '../../services/conversations/conversations.service.ts';
import type { ProviderObjectsService } from '../../services/provider-objects/provider-objects.service.ts';
import type { ResponsesService } from '../../services/responses/responses.service.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';

/** What the routes of `/responses` need. */
export interface ResponseRouteDependencies {
  readonly responses: Pick<ResponsesService, 'storeSoon' | 'get' | 'watch' | 'remove' | 'requestCancel' | 'ended'>;
  /** Objects that providers hold for accounts. */
  readonly objects: Pick<ProviderObjectsService, 'find' | 'record' | 'forget'>;
  readonly conversations: Pick<ConversationsService, 'content' | 'addSoon'>;
  readonly connections: ConnectionSource;
  readonly access: ObjectAccess;
  readonly earlier: Pick<EarlierItems, 'needs' | 'resolve' | 'conversation'>;
  readonly runs: Pick<BackgroundRuns, 'start' | 'cancel'>;
  /** A stream of a background response closes when its key is revoked. */
  readonly keys: { onRevoked(listener: (keyId: string) => void): () => void };
  readonly limits: LimitStore;
  readonly pipeline: Pipeline;
  readonly idempotency: Idempotency;
}
