import { z } from 'zod';

/** Shared tenants: administrators of any directory can set the addresses of their users. */
const sharedTenants = ['common', 'organizations', 'consumers'];
const presets = ['google', 'github', 'microsoft'] as const;
const url = z.url({ protocol: /^https?$/ });

const identityProviderSchema = z.strictObject({
  preset: z
    .enum(presets)
    .optional()
    .describe('Kind of the provider. By default the preset with its ID, otherwise OpenID Connect.'),
  issuer: url.optional().describe('Issuer URL. It overrides that of a preset, for self-hosted instances.'),
  client_id: z.string().min(1).describe('Client ID at the provider.'),
  client_secret: z.string().min(1).optional().describe('Client secret; none for a public client.'),
  name: z.string().min(1).max(60).optional().describe('Label of the sign-in button.'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope'))
    .optional()
    .describe('Requested scopes.'),
  tenant: z
    .string()
    .regex(/^[\w.-]+$/, 'must be a tenant')
    .optional()
    .describe('Microsoft only: ID or domain of a directory, or `common`, `organizations` or `consumers`.'),
  trust_email: z
    .boolean()
    .default(false)
    .describe('Whether its addresses count as verified without an `email_verified` claim.'),
  allow_http: z.boolean().default(false).describe('Whether HTTP is allowed for an issuer on this machine.'),
});

/** Identity providers for sign-in, by the ID used in URLs. */
export const identityProvidersSchema = z
  .record(
    z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'an ID may contain only lower-case letters, digits and dashes'),
    identityProviderSchema,
  )
  .default({});

export type IdentityProviderEntry = z.infer<typeof identityProviderSchema>;

/** The configured preset, or the one with the provider's ID. */
export function presetOf(
  id: string,
  { preset }: Pick<IdentityProviderEntry, 'preset'>,
): (typeof presets)[number] | null {
  return preset ?? presets.find((each) => each === id) ?? null;
}

/** Semantic errors: entries that match the schema but cannot work, or not securely. */
export function identityFaults({
  identityProviders,
}: {
  readonly identityProviders: z.infer<typeof identityProvidersSchema>;
}): string[] {
  return Object.entries(identityProviders).flatMap(([id, entry]) => {
    const preset = presetOf(id, entry);
    const faults: string[] = [];
    if (preset === null && entry.issuer === undefined) faults.push('must have an issuer or a preset');
    if (preset === 'github' && entry.client_secret === undefined) faults.push('must have a client_secret');
    if (entry.tenant !== undefined && preset !== 'microsoft')
      faults.push('tenant is only supported by the preset microsoft');
    if (preset === 'microsoft' && entry.trust_email && sharedTenants.includes(entry.tenant ?? 'common'))
      faults.push('trust_email requires your own tenant: users of shared tenants can set any address');
    if (entry.issuer?.startsWith('http:') && !(entry.allow_http && isLoopback(entry.issuer)))
      faults.push('issuer must begin with https://; allow_http allows HTTP for an issuer on this machine');
    return faults.map((fault) => `identityProviders.${id}: ${fault}`);
  });
}

function isLoopback(issuer: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(issuer).hostname);
}
