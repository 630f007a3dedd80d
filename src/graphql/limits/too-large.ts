import { GraphQLError, type ASTNode } from 'graphql';
import { SluiceError } from '../../errors/index.ts';

/** @param what of which there is too much, and how much of it there is, as the caller reads it */
export function tooLarge(what: string, limit: number, node?: ASTNode): GraphQLError {
  const error = new SluiceError('operation_too_large', { values: { what, limit } });
  return new GraphQLError(error.message, {
    ...(node && { nodes: [node] }),
    originalError: error,
    extensions: { code: error.code },
  });
}
