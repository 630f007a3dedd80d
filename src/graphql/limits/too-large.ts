import { GraphQLError, type ASTNode } from 'graphql';
import { SluiceError } from '../../errors/index.ts';

/** @param what the exceeded quantity and its amount, for the error message */
export function tooLarge(what: string, limit: number, node?: ASTNode): GraphQLError {
  const error = new SluiceError('operation_too_large', { values: { what, limit } });
  return new GraphQLError(error.message, {
    ...(node && { nodes: [node] }),
    originalError: error,
    extensions: { code: error.code },
  });
}
