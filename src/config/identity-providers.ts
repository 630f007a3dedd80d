import { z } from 'zod';
import type { SluiceConfig } from './config-file.ts';

/** Of tenants of everybody's, whoever runs one of them says what addresses its users have. */
const everybodysTenants = ['common', 'organizations', 'consumers'];
const presets = ['google', 'github', 'microsoft'] as const;
const url = z.url({ protocol: /^https?$/ });

const identityProviderSchema = z.strictObject({
  /** What the provider is where its id does not say so; any that speaks OpenID Connect else. */
  preset: z.enum(presets).optional(),
  /** Of a preset, where it runs on a host of one's own. */
  issuer: url.optional(),
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional(),
  /** For the button. */
  name: z.string().min(1).max(60).optional(),
  scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope')).optional(),
  /** Microsoft's: a directory's id or domain, or all of them. */
  tenant: z
    .string()
    .regex(/^[\w.-]+$/, 'must be a tenant')
    .optional(),
  /** Whether its addresses count as verified without its saying so. */
  trust_email: z.boolean().default(false),
  /** Lets an issuer on this machine speak HTTP. */
  allow_http: z.boolean().default(false),
});

/** Where people may sign in, by the id that stands in the URLs. */
export const identityProvidersSchema = z
  .record(
    z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'an id is lower-case letters, digits and dashes'),
    identityProviderSchema,
  )
  .default({});

export type IdentityProviderEntry = z.infer<typeof identityProviderSchema>;

/** What a provider is, by what it says or by its id. */
export function presetOf(
  id: string,
  { preset }: Pick<IdentityProviderEntry, 'preset'>,
): (typeof presets)[number] | null {
  return preset ?? presets.find((each) => each === id) ?? null;
}

/** What is well-formed and can never work, or never safely, a line each. */
export function identityFaults({ identityProviders }: Pick<SluiceConfig, 'identityProviders'>): string[] {
  return Object.entries(identityProviders).flatMap(([id, entry]) => {
    const preset = presetOf(id, entry);
    const faults: string[] = [];
    if (preset === null && entry.issuer === undefined) faults.push('needs an issuer, or a preset');
    if (preset === 'github' && entry.client_secret === undefined) faults.push('needs its client_secret');
    if (entry.tenant !== undefined && preset !== 'microsoft') faults.push('tenant is for the preset microsoft alone');
    if (preset === 'microsoft' && entry.trust_email && everybodysTenants.includes(entry.tenant ?? 'common'))
      faults.push('trust_email needs a tenant of your own: in those of everybody, anybody names their address');
    if (entry.issuer?.startsWith('http:') && !(entry.allow_http && isLoopback(entry.issuer)))
      faults.push('issuer must begin with https://; allow_http lets one on this machine speak HTTP');
    return faults.map((fault) => `identityProviders.${id}: ${fault}`);
  });
}

function isLoopback(issuer: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(issuer).hostname);
}
