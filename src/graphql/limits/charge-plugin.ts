import { HeaderMap, type ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { SluiceError } from '../../errors/index.ts';
import type { GraphqlContext } from '../operation/context.ts';
import type { CostReport } from '../operation/cost-report.ts';
import type { Admission } from './admission.ts';
import { isCostRequested } from './cost-requested.ts';

/** Charges operations over HTTP, and adds the cost report to responses if requested. */
export function chargeOperations(admission: Admission): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => {
      let report: CostReport | null = null;
      return {
        didResolveOperation: async ({ document, operation, request, contextValue }) => {
          if (!operation) return;
          try {
            report = await admission.charge(document, operation, request.variables, contextValue);
          } catch (error) {
            throw error instanceof GraphQLError ? overHttp(error) : error;
          }
        },
        willSendResponse: async ({ request, response: { body } }) => {
          const isRequested =
            request.http?.headers.get('x-sluice-query-cost') === '1' || isCostRequested(request.extensions);
          if (report && isRequested && body.kind === 'single')
            body.singleResult.extensions = { ...body.singleResult.extensions, cost: report };
        },
      };
    },
  };
}

/** The same error with its HTTP status and `retry-after`. */
function overHttp(error: GraphQLError): GraphQLError {
  const { originalError: original, message, extensions, nodes } = error;
  if (!(original instanceof SluiceError)) return error;
  const { status, retryAfterMs } = original;
  const headers = new HeaderMap();
  if (retryAfterMs !== undefined) {
    headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
    headers.set('retry-after-ms', String(retryAfterMs));
  }
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    originalError: original,
    extensions: { ...extensions, http: { status, headers } },
  });
}
