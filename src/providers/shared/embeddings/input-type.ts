/** The purpose of an embedding: many models embed queries and documents differently. */
export type InputType = 'query' | 'document' | 'classification' | 'clustering';

const asWritten: Readonly<Record<string, InputType>> = {
  query: 'query',
  search_query: 'query',
  document: 'document',
  search_document: 'document',
  classification: 'classification',
  clustering: 'clustering',
};

/** Null if none is requested. */
export function inputTypeOf(value: unknown): InputType | null {
  return typeof value === 'string' && Object.hasOwn(asWritten, value) ? (asWritten[value] ?? null) : null;
}
