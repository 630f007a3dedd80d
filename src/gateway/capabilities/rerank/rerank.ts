import type { z } from 'zod';
import type { RerankRequest } from '../../../providers/shared/rerank/rerank-request.ts';
import { notSupported, type Capability } from '../capability.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { knownMembers } from '../known-members.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { jsonDocument } from '../json-document.ts';
import { parseRerankResponse, rerankUsed, type RerankSummary } from './rerank-answer.ts';
import { rerankRequestSchema } from './schema.ts';

const assertSchema: Validator<z.input<typeof rerankRequestSchema>> = compileValidator(rerankRequestSchema);

/** Document ranking: `POST /v1/rerank`, as in Cohere's and Jina's APIs. */
export const rerank: Capability<RerankRequest, RerankSummary> = {
  ...jsonDocument,
  name: 'rerank',
  members: knownMembers(rerankRequestSchema),
  modelName: readModelName,
  parse(value) {
    readModelName(value);
    assertSchema(value);
    return value;
  },
  summarize: ({ documents }) => ({ documents: documents.length }),
  cacheable: (request) => request,
  endUser: () => null,
  send(connection, request, call, receiver) {
    const send = connection.services.rerank ?? notSupported(connection, 'rerank');
    return send({ ...call, request, stream: false }, receiver);
  },
  parseResponse: parseRerankResponse,
  usageWithoutResponse: (summary, inputTokens) => rerankUsed(summary, inputTokens, null),
};
