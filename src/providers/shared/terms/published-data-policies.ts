/** What a provider's own documentation states of the data of API requests, for accounts without a contract of their own. */
interface PublishedDataPolicy {
  /** The domain of its servers. */
  readonly domain: string;
  /** Absent if the page does not state it, or states that it depends on the plan or the model. */
  readonly trainsOnData?: boolean;
  /** The maximum in days, 0 for zero retention. Absent as above. */
  readonly retentionDays?: number;
  readonly url: string;
  readonly readOn: string;
}

/** By provider. A provider that is not listed has an unknown policy. */
export const publishedDataPolicies: Readonly<Record<string, PublishedDataPolicy>> = {
  // The retention depends on the feature and the model.
  anthropic: {
    domain: 'anthropic.com',
    trainsOnData: false,
    url: 'https://platform.claude.com/docs/en/manage-claude/api-and-data-retention',
    readOn: '2026-11-28',
  },
  // Models of its own platform. The Responses API, which Sluice does not use there, stores conversations.
  fireworks: {
    domain: 'fireworks.ai',
    retentionDays: 0,
    url: 'https://docs.fireworks.ai/guides/security_compliance/data_handling',
    readOn: '2026-11-28',
  },
  // Whether it trains depends on the plan: only paid services do not.
  gemini: {
    domain: 'googleapis.com',
    retentionDays: 55,
    url: 'https://ai.google.dev/gemini-api/docs/usage-policies',
    readOn: '2026-11-28',
  },
  'google-vertex': {
    domain: 'googleapis.com',
    trainsOnData: false,
    url: 'https://docs.cloud.google.com/gemini-enterprise-agent-platform/resources/zero-data-retention',
    readOn: '2026-11-28',
  },
  groq: {
    domain: 'groq.com',
    retentionDays: 30,
    url: 'https://console.groq.com/docs/your-data',
    readOn: '2026-11-28',
  },
  openai: {
    domain: 'openai.com',
    trainsOnData: false,
    retentionDays: 30,
    url: 'https://developers.openai.com/api/docs/guides/your-data',
    readOn: '2026-11-28',
  },
  perplexity: {
    domain: 'perplexity.ai',
    trainsOnData: false,
    retentionDays: 0,
    url: 'https://docs.perplexity.ai/docs/resources/privacy-security',
    readOn: '2026-11-28',
  },
  xai: {
    domain: 'x.ai',
    trainsOnData: false,
    retentionDays: 30,
    url: 'https://docs.x.ai/developers/faq/security',
    readOn: '2026-11-28',
  },
};
