import { z } from 'zod';

const most = z.int().min(1).max(1_000_000_000);
const origin = z
  .string()
  .refine((text) => URL.canParse(text) && new URL(text).origin === text, 'must be an origin: https://host[:port]');

/** The GraphQL surface. Read at the start. */
export const graphqlSchema = z.strictObject({
  /** How large an operation may be. */
  limits: z
    .strictObject({
      depth: most.optional(),
      aliases: most.optional(),
      root_fields: most.optional(),
      directives: most.optional(),
      tokens: most.optional(),
      /** Points, by what an operation asks for. */
      cost: most.optional(),
      cost_per_minute: most.optional(),
    })
    .prefault({}),
  introspection: z.boolean().optional(),
  /** Whether browsers that open `/graphql` are shown GraphiQL. */
  explorer: z.boolean().optional(),
  /** Of pages beside this host's own that may open sockets. */
  allowed_origins: z.array(origin).max(100).default([]),
  /** A manifest of documents by id. */
  trusted_documents: z.string().min(1).optional(),
  /** Refuses every other document. */
  only_trusted: z.boolean().default(false),
});

export function graphqlFaults({
  graphql: { only_trusted: only, trusted_documents: manifest, limits },
}: {
  readonly graphql: z.infer<typeof graphqlSchema>;
}): string[] {
  return [
    ...(only && manifest === undefined
      ? ['graphql.only_trusted: needs trusted_documents, or nothing can be asked']
      : []),
    ...((limits.cost ?? 0) > (limits.cost_per_minute ?? Infinity)
      ? ['graphql.limits.cost: must not be above cost_per_minute']
      : []),
  ];
}
