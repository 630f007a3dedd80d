import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { EmbeddingsRequest } from '../../../providers/shared/embeddings/embeddings-request.ts';
import { notSupported, type Capability } from '../capability.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { knownMembers } from '../known-members.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { jsonDocument } from '../json-document.ts';
import { embeddingsUsed, parseEmbeddingsResponse, type EmbeddingsSummary } from './embeddings-answer.ts';
import { embeddingsRequestSchema, type EmbeddingsBody } from './schema.ts';

const assertSchema: Validator<z.input<typeof embeddingsRequestSchema>> = compileValidator(embeddingsRequestSchema);

/** 2,048 embeddings of 4,096 numbers are about 176 MB as Python formats them. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;

type Input = EmbeddingsRequest['input'];

/** @throws SluiceError invalid_value */
function ofOneKind(input: EmbeddingsBody['input']): Input {
  if (typeof input === 'string') return input;
  const texts = input.filter((item) => typeof item === 'string');
  if (texts.length === input.length) return texts;
  const tokens = input.filter((item) => typeof item === 'number');
  if (tokens.length === input.length) return tokens;
  const lists = input.filter((item) => typeof item === 'object');
  if (lists.length === input.length) return lists;
  throw new SluiceError('invalid_value', {
    param: 'input',
    values: { reason: 'its items must be all strings, all tokens, or all lists of tokens.' },
  });
}

/** Embeddings: OpenAI's `POST /v1/embeddings`. */
export const embeddings: Capability<EmbeddingsRequest, EmbeddingsSummary> = {
  ...jsonDocument,
  name: 'embeddings',
  members: knownMembers(embeddingsRequestSchema),
  modelName: readModelName,
  parse(value) {
    readModelName(value);
    assertSchema(value);
    return { ...value, input: ofOneKind(value.input) };
  },
  summarize: ({ input }) => ({ documents: countOf(input) }),
  maxResponseBytes: MAX_RESPONSE_BYTES,
  cacheable: (request) => request,
  endUser: (request) => request.user ?? null,
  send(connection, request, call, receiver) {
    const send = connection.services.embeddings ?? notSupported(connection, 'embeddings');
    return send({ ...call, request, stream: false }, receiver);
  },
  parseResponse: parseEmbeddingsResponse,
  usageWithoutResponse: (summary, inputTokens) => embeddingsUsed(summary, inputTokens),
};

function countOf(input: Input): number {
  return typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length;
}
