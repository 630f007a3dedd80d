import type { HttpUpstream } from '../../http/http-upstream.ts';
import type { JobHttp } from '../../jobs/job-http.ts';

/** How the services of one connection send requests. */
export interface ServiceClient {
  readonly provider: string;
  readonly upstream: HttpUpstream;
  /** For services that poll a job. */
  readonly jobs: JobHttp;
  /** The complete path of an endpoint for a model, with its query. */
  path(endpoint: string, model: string): string;
}
