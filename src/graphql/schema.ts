import 'reflect-metadata';
import { createPubSub } from '@graphql-yoga/subscription';
import type { GraphQLSchema } from 'graphql';
import { buildSchema } from 'type-graphql';
import { checkAccess } from './access.ts';
import { AccountResolver } from './accounts/account.resolver.ts';
import { SignInResolver } from './accounts/sign-in.resolver.ts';
import { CompletionResolver } from './completions/completion.resolver.ts';
import { ConnectionsResolver } from './connections/connections.resolver.ts';
import { ApiKeysResolver } from './keys/api-keys.resolver.ts';
import { LiveResolver } from './live/live.resolver.ts';
import { ModelsResolver } from './models/models.resolver.ts';
import { RoutesResolver } from './routing/routes.resolver.ts';
import { RoutingResolver } from './routing/routing.resolver.ts';
import { DateTime } from './scalars/date-time.ts';
import { UsageLogsResolver } from './usage/usage-logs.resolver.ts';
import { VideosResolver } from './videos/videos.resolver.ts';
import { WebhooksResolver } from './webhooks/webhooks.resolver.ts';

/** The whole schema, from the resolvers' decorators. */
export function buildGraphqlSchema(): Promise<GraphQLSchema> {
  return buildSchema({
    resolvers: [
      AccountResolver,
      SignInResolver,
      ApiKeysResolver,
      ConnectionsResolver,
      ModelsResolver,
      RoutesResolver,
      RoutingResolver,
      UsageLogsResolver,
      CompletionResolver,
      LiveResolver,
      VideosResolver,
      WebhooksResolver,
    ],
    authChecker: checkAccess,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    // Asked for wherever there are subscriptions; ours have sources of their own.
    pubSub: createPubSub(),
    // Services validate what they take; a second validation of the same input would only differ from theirs.
    validate: false,
  });
}
