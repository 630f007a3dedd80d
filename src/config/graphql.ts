import { z } from 'zod';

const most = z.int().min(1).max(1_000_000_000);
const origin = z
  .string()
  .refine((text) => URL.canParse(text) && new URL(text).origin === text, 'must be an origin: https://host[:port]');

/** GraphQL API. Read at startup. */
export const graphqlSchema = z.strictObject({
  /** Limits of operations. */
  limits: z
    .strictObject({
      depth: most.optional(),
      aliases: most.optional(),
      root_fields: most.optional(),
      directives: most.optional(),
      tokens: most.optional(),
      /** In points, by the requested fields. */
      cost: most.optional(),
      cost_per_minute: most.optional(),
    })
    .prefault({}),
  introspection: z.boolean().optional(),
  /** Whether GraphiQL is served to browsers at `/graphql`. */
  explorer: z.boolean().optional(),
  /** Other origins whose pages may open WebSockets. */
  allowed_origins: z.array(origin).max(100).default([]),
  /** Path of a manifest of documents by ID. */
  trusted_documents: z.string().min(1).optional(),
  /** Rejects all other documents. */
  only_trusted: z.boolean().default(false),
});

export function graphqlFaults({
  graphql: { only_trusted: only, trusted_documents: manifest, limits },
}: {
  readonly graphql: z.infer<typeof graphqlSchema>;
}): string[] {
  return [
    ...(only && manifest === undefined
      ? ['graphql.only_trusted: requires trusted_documents, or every operation is rejected']
      : []),
    ...((limits.cost ?? 0) > (limits.cost_per_minute ?? Infinity)
      ? ['graphql.limits.cost: must not be above cost_per_minute']
      : []),
  ];
}
