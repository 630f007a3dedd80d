/** What texts are embedded for: many models embed a question otherwise than what answers it. */
export type InputType = 'query' | 'document' | 'classification' | 'clustering';

const asWritten: Readonly<Record<string, InputType>> = {
  query: 'query',
  search_query: 'query',
  document: 'document',
  search_document: 'document',
  classification: 'classification',
  clustering: 'clustering',
};

/** Null where none is asked for. */
export function inputTypeOf(value: unknown): InputType | null {
  return typeof value === 'string' && Object.hasOwn(asWritten, value) ? (asWritten[value] ?? null) : null;
}
