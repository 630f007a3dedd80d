import type { CatalogueEntry } from './catalogue-entry.ts';

const server = 'server_error';

/** Errors of requests to providers. */
export const providerErrors = {
  provider_error: { status: 502, type: server, message: 'The provider {provider} returned an error: {reason}' },
  provider_unreachable: {
    status: 502,
    type: server,
    message:
      'The provider {provider} could not be reached{place}: {reason}. Send the request again, or to another model.',
  },
  provider_overloaded: {
    status: 503,
    type: 'service_unavailable',
    message: 'The provider {provider} is overloaded: {reason}',
  },
  provider_timeout: {
    status: 504,
    type: server,
    message: 'The provider {provider} sent no {stage} within {seconds} s.',
  },
  provider_credentials: {
    status: 502,
    type: server,
    message:
      'The provider {provider} rejected the configured credentials. Whoever manages the provider connection must replace them.',
  },
  provider_invalid_response: {
    status: 502,
    type: server,
    message: 'The provider {provider} returned an invalid response. Send the request again, or to another model.',
  },
  provider_stream_cut: {
    status: 502,
    type: server,
    message: 'The provider {provider} ended its response before it was complete. Send the request again.',
  },
  empty_compaction: {
    status: 502,
    type: server,
    message: 'The model wrote no summary of the conversation. Send the request again, or to another model.',
  },
} as const satisfies Record<string, CatalogueEntry>;
