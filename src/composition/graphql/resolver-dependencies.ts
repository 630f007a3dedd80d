import type { Database } from '../../database/database.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import type { WiredServices } from '../services/wire-services.ts';

/** What resolvers are built from. */
export interface ResolverDependencies {
  readonly database: Database;
  readonly gateway: WiredGateway;
  readonly services: WiredServices;
}
