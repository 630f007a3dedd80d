import type { Logger } from 'pino';
import type { GraphqlDependencies } from '../../graphql/dependencies.ts';
import { OperationLoaders } from '../../graphql/operation/operation-loaders.ts';
import type { GraphqlSettings } from '../../graphql/settings.ts';
import { drainRequest } from '../../rest/http/drain-request.ts';
import { MemberReader } from '../../services/accounts/member-reader.ts';
import { UsageByKey } from '../../services/usage/report/usage-by-key.ts';
import type { Foundation } from '../foundation.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import type { WiredServices } from '../services/wire-services.ts';

/** What the GraphQL server needs to start. Its resolvers are loaded on the first request: idle gateways do without them. */
export function wireGraphql(
  { database, reads }: Pick<Foundation, 'database' | 'reads'>,
  gateway: WiredGateway,
  services: WiredServices,
  { settings, log }: { readonly settings: GraphqlSettings; readonly log: Logger },
): Omit<GraphqlDependencies, 'publicUrl'> {
  const { accounts, keys } = gateway;
  const loaderServices = {
    accounts: services.identity.accounts,
    memberReader: new MemberReader(database),
    keys: keys.service,
    invoices: services.billing.invoices,
    usageByKey: new UsageByKey(reads),
    feedback: services.feedback,
    datasetRuns: services.datasetRuns.reader,
  };
  return {
    context: {
      callers: services.teams.services.callers,
      connections: accounts.service,
      loaders: (accountId) => new OperationLoaders(loaderServices, accountId),
    },
    resolvers: async () => {
      const { buildResolvers } = await import('./resolvers.ts');
      return buildResolvers({ database, reads, gateway, services });
    },
    directory: keys.directory,
    sessions: services.sessions,
    settings,
    sharedPoints: gateway.redis.throttles,
    discardBody: drainRequest,
    log,
  };
}
