import type { IsLocalRequest } from '../services/client-request/local-request.ts';
import type { SiteCookies } from '../services/sessions/site-cookies.ts';
import type { OperationLimits } from './limits/settings.ts';
import type { TrustedDocuments } from './trusted/trusted-documents.ts';

/** Settings of the GraphQL API. Read at start-up. */
export interface GraphqlSettings {
  readonly limits: OperationLimits;
  /** Whether introspection is allowed. */
  readonly introspection: boolean;
  /** Whether browsers that open the path get GraphiQL. */
  readonly explorer: boolean;
  /** Additional origins whose pages may connect: `https://dashboard.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Whether this is a host name of the server. */
  readonly isKnownHost: (host: string | undefined) => boolean;
  readonly cookies: SiteCookies;
  readonly isLocal: IsLocalRequest;
  readonly trustedDocuments: TrustedDocuments;
}
