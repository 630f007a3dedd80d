import type { Database } from '../../database/database.ts';
import type { ReadDatabase } from '../../database/read-database.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import type { WiredServices } from '../services/wire-services.ts';

/** What resolvers are built from. */
export interface ResolverDependencies {
  readonly database: Database;
  /** For logs and reports: a replica may serve them. */
  readonly reads: ReadDatabase;
  readonly gateway: WiredGateway;
  readonly services: WiredServices;
}
