import type { StoredResponse } from '../../database/entities/index.ts';
import type { ListedResponse } from '../../services/responses/responses.service.ts';
import { publicResponseId } from '../../services/responses/response-id.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import { ResponseStatus, type ModelResponse, type ResponseEvent } from './response.types.ts';

type Json = Readonly<Record<string, unknown>>;

const statuses: Readonly<Record<StoredResponse['status'], ResponseStatus>> = {
  queued: ResponseStatus.QUEUED,
  in_progress: ResponseStatus.IN_PROGRESS,
  completed: ResponseStatus.COMPLETED,
  incomplete: ResponseStatus.INCOMPLETE,
  failed: ResponseStatus.FAILED,
  cancelled: ResponseStatus.CANCELLED,
};

/** Fields of `ModelResponse` that are read from the stored body. */
export const responseFields = ['outputText', 'body', 'error'] as const;

/** @param row with its body if one of `responseFields` is selected */
export function toModelResponse(row: ListedResponse): ModelResponse {
  const { id, model, status, background, response, previousId, costNano, createdAt, completedAt, expiresAt } = row;
  return {
    id: toGlobalId('ModelResponse', id),
    responseId: publicResponseId(id),
    model,
    status: statuses[status],
    background,
    outputText: outputText(response?.output),
    body: response,
    error: isObject(response?.error)
      ? { code: String(response.error.code), message: String(response.error.message) }
      : null,
    previousResponseId: previousId && publicResponseId(previousId),
    cost: costNano === null ? null : usd(costNano),
    createdAt,
    completedAt,
    expiresAt,
  };
}

/** @param json the stored event */
export function toResponseEvent(json: string): ResponseEvent {
  const event: unknown = JSON.parse(json);
  const fields = isObject(event) ? event : {};
  return {
    sequenceNumber: Number(fields.sequence_number),
    type: String(fields.type),
    delta: typeof fields.delta === 'string' ? fields.delta : null,
    body: fields,
  };
}

function outputText(output: unknown): string {
  const parts = objects(output).flatMap(({ content }) => objects(content));
  return parts.flatMap(({ type, text }) => (type === 'output_text' && typeof text === 'string' ? [text] : [])).join('');
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
