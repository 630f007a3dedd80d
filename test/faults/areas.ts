export interface Area {
  readonly name: string;
  /** Path prefixes below src. */
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

/** A file belongs to the first area that includes it. */
export const areas: readonly Area[] = [
  {
    name: 'jobs',
    include: [
      'jobs/',
      'mail/',
      'services/expiry/',
      'services/mail/',
      'services/webhooks/',
      'services/videos/video-progress.ts',
      'services/responses/jobs.ts',
      'services/audit/audit-retention.ts',
      'services/audit/jobs.ts',
      'services/audit/remove-entries.ts',
      'services/usage/jobs.ts',
      'services/usage/usage-retention.ts',
      'services/keys/expiry-warnings.ts',
      'services/keys/jobs.ts',
      'services/members/account-erasure.ts',
      'services/members/jobs.ts',
      'services/budgets/budget-alerts.ts',
      'services/billing/jobs.ts',
      'services/plans/jobs.ts',
      'gateway/capabilities/responses/background',
    ],
  },
  {
    name: 'money',
    include: [
      'calendar/',
      'catalogue/prices/decimal.ts',
      'catalogue/model-overrides.ts',
      'catalogue/prices/price.ts',
      'catalogue/prices/token-',
      'catalogue/prices/unit-price.ts',
      'services/billing/',
      'services/budgets/',
      'services/plans/',
      'services/usage/settlement.ts',
      'services/videos/video-bill.ts',
      'services/videos/video-reservation.ts',
      'gateway/usage/build-reservation.ts',
      'gateway/usage/deferred-charges.ts',
      'gateway/limits/budget.ts',
      'gateway/usage/metering.ts',
    ],
  },
  {
    name: 'limits',
    include: [
      'gateway/limits/',
      'storage/limits/',
      'graphql/limits/',
      'services/accounts/sign-in-throttle.ts',
      'services/keys/own-limits.ts',
    ],
  },
  {
    name: 'journal',
    include: [
      'gateway/usage/journal/',
      'gateway/usage/usage-line.ts',
      'gateway/usage/usage-record.ts',
      'services/usage/report/usage-slots.ts',
      'services/usage/usage-store.ts',
    ],
  },
  {
    name: 'authorization',
    include: [
      'services/accounts/',
      'services/authorization/',
      'services/client-request/',
      'services/identity/',
      'services/keys/',
      'services/members/',
      'services/passwords/',
      'services/sessions/',
      'graphql/http/credentials.ts',
      'graphql/http/cross-origin.ts',
      'graphql/operation/access.ts',
      'rest/auth/',
      'rest/authentication/',
    ],
  },
  {
    name: 'routing',
    include: ['gateway/routing/', 'gateway/keys/model-directory.ts', 'services/routes/', 'config/routing-faults.ts'],
  },
  {
    name: 'relay',
    include: [
      'gateway/capabilities/chat/',
      'gateway/capabilities/images/image-stream.ts',
      'gateway/capabilities/responses/',
      'gateway/capabilities/speech/speech-stream.ts',
      'gateway/capabilities/transcription/transcript-stream.ts',
      'gateway/client-response.ts',
      'gateway/completions/completions.ts',
      'gateway/metrics/collector.ts',
      'gateway/metrics/gc-pressure.ts',
      'gateway/pipeline.ts',
      'gateway/received-output.ts',
      'gateway/request/',
      'gateway/usage/request-outcome.ts',
      'protocols/chat-completions/',
      'protocols/responses/',
      'providers/shared/',
    ],
    exclude: ['protocols/chat-completions/decode-request/schema.ts', 'protocols/responses/decode-request/schema.ts'],
  },
  { name: 'resolvers', include: ['graphql/'], exclude: ['graphql/explorer/', 'graphql/generate.ts'] },
  { name: 'rest', include: ['rest/'], exclude: ['rest/docs/', 'rest/openapi/'] },
  { name: 'dashboard', include: ['dashboard/'], exclude: ['dashboard/generated/'] },
];

/** @param path relative to the repository root, with `/` */
export function areaOf(path: string): string | null {
  const below = path.replace(/^src\//, '');
  const has = (prefixes: readonly string[]): boolean => prefixes.some((prefix) => below.startsWith(prefix));
  return areas.find(({ include, exclude }) => has(include) && !has(exclude ?? []))?.name ?? null;
}
