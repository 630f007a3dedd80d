import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { sendError } from '../http/send-error.ts';
import type { DocumentReference, TrustedDocuments } from './trusted-documents.ts';

const bodySchema = z.looseObject({ extensions: z.looseObject({}).nullish() });

/** Replaces the ID of a document by its text, before the server parses the request. */
export function resolveDocument(documents: TrustedDocuments): RequestHandler {
  return (request, response, next) => {
    try {
      if (request.method === 'GET') resolveQuery(request, documents);
      else request.body = resolveBody(request.body, documents);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      sendError(response, error);
      return;
    }
    next();
  };
}

function resolveBody(body: unknown, documents: TrustedDocuments): unknown {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) return body;
  const query = documents.textOf(parsed.data);
  if (query === null) return body;
  const { documentId: _id, extensions, ...others } = parsed.data;
  return { ...others, query, ...(extensions && { extensions: withoutId(extensions) }) };
}

function resolveQuery(request: Request, documents: TrustedDocuments): void {
  const [path = '', search = ''] = request.url.split(/\?(.*)/s, 2);
  const params = new URLSearchParams(search);
  const extensions = objectIn(params.get('extensions'));
  const reference: DocumentReference = {
    query: params.get('query') ?? undefined,
    documentId: params.get('documentId') ?? undefined,
    extensions: extensions ?? undefined,
  };
  const query = documents.textOf(reference);
  if (query === null) return;
  params.set('query', query);
  params.delete('documentId');
  if (extensions) params.set('extensions', JSON.stringify(withoutId(extensions)));
  request.url = `${path}?${params}`;
}

/** Apollo's `persistedQuery` is disabled, because it would store any client's documents. */
function withoutId(extensions: Readonly<Record<string, unknown>>): object {
  const { persistedQuery: _persisted, ...others } = extensions;
  return others;
}

function objectIn(text: string | null): Record<string, unknown> | null {
  try {
    const parsed = z.looseObject({}).safeParse(JSON.parse(text ?? 'null'));
    return parsed.success ? parsed.data : null;
  } catch {
    // Rejected by the server as malformed.
    return null;
  }
}
