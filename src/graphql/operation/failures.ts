import { Field, ObjectType } from 'type-graphql';
import { SluiceError, type ErrorCode } from '../../errors/index.ts';

/** The fields of every expected failure. */
@ObjectType({ description: 'An expected failure.' })
export abstract class Failure {
  @Field(() => String, { description: 'Machine-readable code from the error catalogue.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

/** Converts an expected error to data. Rethrows any other error. */
export function asFailure<T extends Failure>(failure: T, error: unknown, codes: readonly ErrorCode[]): T {
  if (!(error instanceof SluiceError && codes.includes(error.code))) throw error;
  return Object.assign(failure, { code: error.code, message: error.message });
}
