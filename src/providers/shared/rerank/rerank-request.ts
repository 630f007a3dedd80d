/**
 * A rerank request as a provider reads it: validated by the gateway before, and never written to.
 * Source: Cohere's `POST /v2/rerank` and Jina's `POST /v1/rerank`, which agree in the first five members.
 */
export interface RerankRequest {
  readonly query: string;
  readonly documents: readonly (string | { readonly text: string })[];
  readonly top_n?: number | null | undefined;
  readonly return_documents?: boolean | null | undefined;
  /** Cohere's: documents are truncated to this length. */
  readonly max_tokens_per_doc?: number | null | undefined;
  /** Cohere's: requests with a lower number come first. */
  readonly priority?: number | null | undefined;
  /** Voyage's: whether texts that are too long are truncated or rejected. */
  readonly truncation?: boolean | null | undefined;
  readonly [member: string]: unknown;
}

/** Parameters that some providers have. */
const furtherParameters = ['max_tokens_per_doc', 'priority', 'truncation'] as const;

export function documentTexts({ documents }: RerankRequest): readonly string[] {
  return documents.map((document) => (typeof document === 'string' ? document : document.text));
}

/** The parameters with a non-default value that a provider does not support. */
export function unsupportedRerankParameters(request: RerankRequest, supported: readonly string[]): readonly string[] {
  return furtherParameters.filter(
    (name) => request[name] !== null && request[name] !== undefined && !supported.includes(name),
  );
}
