/**
 * A rerank request as a provider reads it: validated by the gateway before, and never written to.
 * Source: Cohere's `POST /v2/rerank` and Jina's `POST /v1/rerank`, which agree in these members.
 */
export interface RerankRequest {
  readonly query: string;
  readonly documents: readonly (string | { readonly text: string })[];
  readonly top_n?: number | null | undefined;
  readonly return_documents?: boolean | null | undefined;
  readonly [member: string]: unknown;
}
