import type { ItemDocument } from '../datasets/dataset-document.ts';

/** What a run sends its items with. */
interface RunParameters {
  readonly model: string;
  /** Replaces that of the items; null for theirs. */
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

/** The body of a chat completion. Without its messages, an item that cannot be decrypted is refused as a request. */
export function itemRequest(
  { model, temperature, maxTokens }: RunParameters,
  item: ItemDocument | null,
): Readonly<Record<string, unknown>> {
  const { max_tokens: older, max_completion_tokens: newer, ...parameters } = item?.input.parameters ?? {};
  const limit = maxTokens ?? newer ?? older;
  return {
    ...parameters,
    ...(temperature !== null && { temperature }),
    ...(limit !== undefined && { max_completion_tokens: limit }),
    model,
    messages: item?.input.messages ?? [],
    stream: false,
  };
}
