import { renderOpenAiError, type SluiceError } from '../../errors/index.ts';
import { renderMessagesError } from '../../protocols/messages/errors.ts';
import type { BatchOutcome, BatchProtocol, LineResult } from './batch.ts';

/** The response to a line, or why it has none. */
export type LineAnswer =
  | { readonly type: 'answered'; readonly body: Buffer }
  /** `wasSent`: its usage is recorded, so that another run is another event. */
  | { readonly type: 'failed'; readonly error: SluiceError; readonly wasSent: boolean };

export interface AnsweredLine {
  readonly protocol: BatchProtocol;
  readonly line: number;
  readonly customId: string;
  readonly requestId: string;
}

/** The line of the results, as OpenAI's or Anthropic's clients read it. */
export function lineResult(of: AnsweredLine, answer: LineAnswer): LineResult {
  const isSuccess = answer.type === 'answered';
  const result = of.protocol === 'openai' ? openAiLine(of, answer) : anthropicLine(of, answer);
  return { line: of.line, isSuccess, result };
}

function openAiLine({ customId, requestId }: AnsweredLine, answer: LineAnswer): string {
  const [status, body] =
    answer.type === 'answered'
      ? [200, oneLine(answer.body)]
      : [answer.error.status, renderOpenAiError(answer.error, answer.error.message)];
  const id = JSON.stringify(`batch_${requestId}`);
  return `{"id":${id},"custom_id":${JSON.stringify(customId)},"response":{"status_code":${status},"request_id":"${requestId}","body":${body}},"error":null}`;
}

function anthropicLine({ customId, requestId }: AnsweredLine, answer: LineAnswer): string {
  const result =
    answer.type === 'answered'
      ? `{"type":"succeeded","message":${oneLine(answer.body)}}`
      : `{"type":"errored","error":${renderMessagesError(answer.error, answer.error.message, requestId)}}`;
  return `{"custom_id":${JSON.stringify(customId)},"result":${result}}`;
}

/** JSON has newlines only between its tokens. */
function oneLine(json: Buffer): string {
  return json.toString().replace(/[\r\n]+/g, ' ');
}

/** The result of a line that has none. @param lastError why its last run failed; null where it was not run */
export function unrunResult(
  protocol: BatchProtocol,
  batchId: string,
  line: number,
  customId: string,
  outcome: BatchOutcome,
  lastError: string | null,
): string {
  const isExpired = outcome === 'expired';
  if (protocol === 'anthropic')
    return JSON.stringify({ custom_id: customId, result: { type: isExpired ? 'expired' : 'canceled' } });
  const error = isExpired
    ? { code: 'batch_expired', message: 'This request could not be executed before the completion window expired.' }
    : { code: 'batch_cancelled', message: 'This request was not executed, because the batch was cancelled.' };
  if (lastError !== null) {
    const ended = isExpired ? 'The completion window expired' : 'The batch was cancelled';
    error.message = `${ended} before this request could run again. Its last run failed: ${lastError}`;
  }
  const id = `batch_req_${batchId.replaceAll('-', '')}_${line}`;
  return JSON.stringify({ id, custom_id: customId, response: null, error });
}
