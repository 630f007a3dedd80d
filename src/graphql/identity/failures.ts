import { Field, ObjectType } from 'type-graphql';
import { SluiceError, type ErrorCode } from '../../errors/index.ts';

/** The members of every failure that a form shows. */
@ObjectType({ description: 'What went wrong, for a form.' })
export abstract class Failure {
  @Field(() => String, { description: 'Machine-readable code from the error catalogue.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

/** A failure as data, where it is one that a form shows; any other goes its usual way. */
export function asFailure<T extends Failure>(failure: T, error: unknown, codes: readonly ErrorCode[]): T {
  if (!(error instanceof SluiceError && codes.includes(error.code))) throw error;
  return Object.assign(failure, { code: error.code, message: error.message });
}
