import type { SluiceError } from '../../../errors/index.ts';
import type { ParsedResponse, StreamRelay } from '../../capabilities/capability.ts';
import type { CompleteOutput, RelayedOutput } from '../../relayed-output.ts';
import type { EndReason } from '../request-signal.ts';

/** How an attempt ended. */
export type AttemptEnd =
  /** `last`: complete events that arrived together with the end. */
  | { readonly type: 'streamed'; readonly stream: StreamRelay; readonly last: RelayedOutput | null }
  | { readonly type: 'answered'; readonly output: CompleteOutput; readonly response: ParsedResponse }
  /** `isLocal`: before anything was sent to the provider. `response`: what was received before, and is billed. */
  | {
      readonly type: 'failed';
      readonly error: SluiceError;
      readonly isLocal: boolean;
      readonly response?: ParsedResponse | undefined;
    }
  /** `response`: a complete response that is not sent. */
  | { readonly type: 'aborted'; readonly reason: EndReason; readonly response?: ParsedResponse };
