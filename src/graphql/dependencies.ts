import type { IncomingMessage } from 'node:http';
import type { SessionsService } from '../services/sessions/sessions.service.ts';
import type { MemoryKeyDirectory } from '../services/keys/key-directory.ts';
import type { ContextSources } from './operation/context.ts';
import type { ErrorSettings } from './format-error.ts';
import type { ResolverInstances } from './operation/resolver-instances.ts';
import type { SharedPoints } from './limits/cost-meter.ts';
import type { GraphqlSettings } from './settings.ts';

/** What the GraphQL server itself needs; its resolvers are built with their own services. */
export interface GraphqlDependencies extends ErrorSettings {
  readonly context: ContextSources;
  /** Builds the resolvers, on the first request. */
  readonly resolvers: () => Promise<ResolverInstances>;
  /** Announces revoked keys and tokens. */
  readonly directory: MemoryKeyDirectory;
  /** Announces ended sessions and changed memberships. */
  readonly sessions: SessionsService;
  readonly settings: GraphqlSettings;
  /** Points that several processes count together; null without Redis. */
  readonly sharedPoints: SharedPoints | null;
  /** Reads and discards the rest of a rejected request's body: otherwise the client may not read the response. */
  readonly discardBody: (request: IncomingMessage, then: () => void) => void;
}
