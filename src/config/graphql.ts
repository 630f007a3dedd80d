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
      depth: most.optional().describe('Levels of an operation; 12 by default.'),
      aliases: most.optional().describe('Aliases of an operation; 30 by default.'),
      root_fields: most.optional().describe('Fields at the root of an operation; 20 by default.'),
      directives: most.optional().describe('Directives of an operation; 50 by default.'),
      tokens: most.optional().describe('Tokens of an operation; 5,000 by default.'),
      cost: most
        .optional()
        .describe('[Points](graphql/queries.md#limits-of-an-operation) of an operation; 5,000 by default.'),
      cost_per_minute: most.optional().describe('Points per minute, key or user, and process; 100,000 by default.'),
    })
    .prefault({}),
  introspection: z
    .boolean()
    .optional()
    .describe('Whether introspection is allowed; by default with the embedded database only.'),
  explorer: z
    .boolean()
    .optional()
    .describe('Whether GraphiQL is served at `/graphql`; by default with the embedded database only.'),
  allowed_origins: z
    .array(origin)
    .max(100)
    .default([])
    .describe('Further origins whose pages may open WebSockets and send keys and tokens.'),
  trusted_documents: z.string().min(1).optional().describe('Path of a manifest of documents by ID.'),
  only_trusted: z.boolean().default(false).describe('Whether all other documents are refused.'),
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
