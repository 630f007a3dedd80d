import { SluiceError } from '../../errors/index.ts';
import type { ParameterPolicy } from './parameter-policy.ts';

/** What every encoder of requests needs to know of its target. */
export interface EncodeOptions {
  /** Named in errors. */
  readonly provider: string;
  readonly parameters: ParameterPolicy;
}

/** The same, for protocols whose body states the model and whether the response is streamed. */
export interface EncodeBodyOptions extends EncodeOptions {
  /** The provider's own model name. */
  readonly model: string;
  readonly stream: boolean;
}

export interface EncodedRequest {
  /** JSON. */
  readonly body: string;
  /** Names of the parameters that were left out. */
  readonly dropped: readonly string[];
}

/**
 * Serializes JSON, where a tool's arguments, its schema or its result may be nested too deeply for the stack.
 * @throws SluiceError invalid_value
 */
export function limitNesting(encode: () => string): string {
  try {
    return encode();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SluiceError('invalid_value', {
      param: 'messages',
      values: { reason: 'it is nested too deeply.' },
      cause,
    });
  }
}
