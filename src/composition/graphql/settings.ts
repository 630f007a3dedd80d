import type { Configuration } from '../../config/configuration.ts';
import { ConfigurationError } from '../../config/environment.ts';
import { knownHosts } from '../../config/known-hosts.ts';
import { DEFAULT_LIMITS } from '../../graphql/limits/settings.ts';
import type { GraphqlSettings } from '../../graphql/settings.ts';
import { readManifest, TrustedDocuments } from '../../graphql/trusted/trusted-documents.ts';
import { localRequests } from '../../services/client-request/local-request.ts';
import { SiteCookies } from '../../services/sessions/site-cookies.ts';

/** Settings of the GraphQL API from `graphql` in `sluice.yaml`. @throws ConfigurationError if the manifest cannot be read */
export async function readGraphqlSettings({ environment, file }: Configuration): Promise<GraphqlSettings> {
  const { graphql } = file;
  const isEmbedded = environment.DATABASE_URL === undefined;
  const { limits } = graphql;
  const only = graphql.only_trusted;
  return {
    limits: {
      depth: limits.depth ?? DEFAULT_LIMITS.depth,
      aliases: limits.aliases ?? DEFAULT_LIMITS.aliases,
      rootFields: limits.root_fields ?? DEFAULT_LIMITS.rootFields,
      directives: limits.directives ?? DEFAULT_LIMITS.directives,
      tokens: limits.tokens ?? DEFAULT_LIMITS.tokens,
      cost: limits.cost ?? DEFAULT_LIMITS.cost,
      costPerMinute: limits.cost_per_minute ?? DEFAULT_LIMITS.costPerMinute,
    },
    introspection: graphql.introspection ?? isEmbedded,
    // GraphiQL sends introspection queries and untrusted documents.
    explorer: graphql.explorer ?? (isEmbedded && !only),
    allowedOrigins: graphql.allowed_origins,
    isKnownHost: knownHosts(environment),
    cookies: new SiteCookies(environment.SLUICE_PUBLIC_URL),
    isLocal: localRequests(environment.TRUST_PROXY_HOPS > 0),
    trustedDocuments: new TrustedDocuments(await manifestOf(graphql.trusted_documents), only),
  };
}

async function manifestOf(path: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (path === undefined) return new Map();
  try {
    return await readManifest(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError([`graphql.trusted_documents: ${path} cannot be read: ${reason}`]);
  }
}
