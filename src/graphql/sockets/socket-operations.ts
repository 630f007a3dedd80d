import {
  GraphQLError,
  getOperationAST,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { SluiceError } from '../../errors/index.ts';
import type { GraphqlContext } from '../operation/context.ts';
import type { Admission } from '../limits/admission.ts';
import { isCostRequested } from '../limits/cost-requested.ts';
import type { TrustedDocuments } from '../trusted/trusted-documents.ts';

interface SocketOperationDependencies {
  readonly schema: GraphQLSchema;
  readonly admission: Admission;
  readonly trustedDocuments: TrustedDocuments;
}

/**
 * Converts a `subscribe` message to execution arguments, under the same rules as HTTP. An error ends the operation, not the
 * socket.
 */
export async function toOperation(
  payload: SubscribePayload,
  { schema, admission, trustedDocuments }: SocketOperationDependencies,
  context: GraphqlContext,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { operationName, variables: variableValues } = payload;
  try {
    const text = trustedDocuments.textOf(payload);
    const { document, faults } = admission.read(text ?? '');
    if (faults.length > 0) return faults;
    const report = await admission.charge(document, operationIn(document, operationName), variableValues, context);
    if (isCostRequested(payload.extensions)) context.costReport = report;
    return { schema, document, operationName, variableValues, contextValue: context };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    if (!(error instanceof SluiceError)) throw error;
    return [new GraphQLError(error.message, { originalError: error })];
  }
}

function operationIn(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  throw new GraphQLError(
    name ? `Unknown operation named "${name}".` : 'Must provide operation name if query contains multiple operations.',
  );
}
