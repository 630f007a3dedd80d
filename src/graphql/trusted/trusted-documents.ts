import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';

/** The parts of a request that identify a document. */
export interface DocumentReference {
  readonly query?: unknown;
  /** GraphQL over HTTP, appendix "Persisted Documents": an id, bare or as `sha256:…`. */
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** Apollo's `extensions.persistedQuery`. */
const persistedQuery = z.looseObject({ persistedQuery: z.looseObject({ sha256Hash: z.string() }) });

/** Documents by id, as code generators write them: GraphQL Codegen and Relay a record, Apollo a list. */
const manifestSchema = z.union([
  z
    .looseObject({
      format: z.literal('apollo-persisted-query-manifest'),
      operations: z.array(z.looseObject({ id: z.string().min(1), body: z.string().min(1) })),
    })
    .transform(({ operations }) => new Map(operations.map(({ id, body }) => [id, body]))),
  z.record(z.string().min(1), z.string().min(1)).transform((record) => new Map(Object.entries(record))),
]);

/** @throws Error with a human-readable reason */
export async function readManifest(path: string): Promise<ReadonlyMap<string, string>> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw new Error('it is no manifest: expected documents by their ids, or Apollo’s `operations`');
  return parsed.data;
}

/** Documents that clients can refer to by ID, and whether other documents are allowed. */
export class TrustedDocuments {
  readonly #byId: ReadonlyMap<string, string>;
  readonly #texts: ReadonlySet<string>;
  readonly #only: boolean;

  /** @param only rejects all other documents */
  constructor(documents: ReadonlyMap<string, string>, only: boolean) {
    this.#byId = new Map([
      ...documents,
      // Generators may compute IDs differently from Apollo's clients.
      ...[...documents.values()].map((text) => [sha256(text), text] as const),
    ]);
    this.#texts = new Set(documents.values());
    this.#only = only;
  }

  /**
   * The document's text; null if the request contains none. An ID together with a text is a client's request to store it, which is
   * ignored: documents of clients are never stored.
   * @throws SluiceError document_not_found | document_not_trusted | graphql_invalid
   */
  textOf(request: DocumentReference): string | null {
    const id = idIn(request);
    const { query } = request;
    const trusted = id === null ? undefined : this.#byId.get(id);
    // WebSocket requires a `query`: an empty one means none.
    if (typeof query !== 'string' || (query === '' && id !== null)) {
      if (id === null) return null;
      if (trusted === undefined) throw this.#unknown();
      return trusted;
    }
    if (id !== null && (trusted ?? query) !== query)
      throw new SluiceError('graphql_invalid', { values: { reason: 'The id is not that of the document sent.' } });
    if (this.#only && !this.#texts.has(query)) throw new SluiceError('document_not_trusted');
    return query;
  }

  #unknown(): SluiceError {
    if (this.#only) return new SluiceError('document_not_trusted');
    // Apollo's messages, by which clients decide whether to retry with an ID.
    const reason = this.#texts.size === 0 ? 'PersistedQueryNotSupported' : 'PersistedQueryNotFound';
    return new SluiceError('document_not_found', { values: { reason } });
  }
}

function idIn({ documentId, extensions }: DocumentReference): string | null {
  if (typeof documentId === 'string') return documentId.replace(/^(sha256|sha1):/, '');
  const apollos = persistedQuery.safeParse(extensions);
  return apollos.success ? apollos.data.persistedQuery.sha256Hash : null;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
