import type { Configuration } from './config/configuration.ts';
import { ConfigurationError } from './config/environment.ts';
import { usualLimits } from './graphql/limits/settings.ts';
import type { GraphqlSettings } from './graphql/settings.ts';
import { readManifest, TrustedDocuments } from './graphql/trusted/trusted-documents.ts';

/** What `graphql` in `sluice.yaml` says of that surface. @throws ConfigurationError where the manifest cannot be read */
export async function connectGraphql({ environment, file }: Configuration): Promise<GraphqlSettings> {
  const { graphql } = file;
  const isEmbedded = environment.DATABASE_URL === undefined;
  const { limits } = graphql;
  const only = graphql.only_trusted;
  return {
    limits: {
      depth: limits.depth ?? usualLimits.depth,
      aliases: limits.aliases ?? usualLimits.aliases,
      rootFields: limits.root_fields ?? usualLimits.rootFields,
      directives: limits.directives ?? usualLimits.directives,
      tokens: limits.tokens ?? usualLimits.tokens,
      cost: limits.cost ?? usualLimits.cost,
      costPerMinute: limits.cost_per_minute ?? usualLimits.costPerMinute,
    },
    introspection: graphql.introspection ?? isEmbedded,
    // It asks for the schema, and for whatever its user writes.
    explorer: graphql.explorer ?? (isEmbedded && !only),
    allowedOrigins: graphql.allowed_origins,
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
