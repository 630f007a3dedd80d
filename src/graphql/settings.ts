import type { IsLocalRequest } from '../services/accounts/local-request.ts';
import type { SiteCookies } from '../services/accounts/site-cookies.ts';
import type { OperationLimits } from './limits/settings.ts';
import type { TrustedDocuments } from './trusted/trusted-documents.ts';

/** What the operator says of this surface. Read at the start. */
export interface GraphqlSettings {
  readonly limits: OperationLimits;
  /** Whether callers may ask for the schema. */
  readonly introspection: boolean;
  /** Whether browsers that open the path are shown GraphiQL. */
  readonly explorer: boolean;
  /** Of pages beside this host's own that may open sockets: `https://dashboard.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Whether a request for this host name was meant for this server. */
  readonly isKnownHost: (host: string | undefined) => boolean;
  readonly cookies: SiteCookies;
  readonly isLocal: IsLocalRequest;
  readonly trustedDocuments: TrustedDocuments;
}
