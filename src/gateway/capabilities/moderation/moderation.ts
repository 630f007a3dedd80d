import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { ModerationPart, ModerationRequest } from '../../../providers/shared/moderation/moderation-request.ts';
import { estimateTokens } from '../../request-input.ts';
import { notSupported, type Capability } from '../capability.ts';
import { knownMembers } from '../known-members.ts';
import { namedOrDefaultModel } from '../default-model.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { jsonDocument } from '../json-document.ts';
import { parseModerationResponse } from './moderation-answer.ts';
import { moderationRequestSchema, type ModerationBody } from './schema.ts';

const assertSchema: Validator<z.input<typeof moderationRequestSchema>> = compileValidator(moderationRequestSchema);

const defaultModels = {
  capability: 'moderation',
  defaults: ['omni-moderation-latest', 'openai/omni-moderation-latest'],
};

type Input = ModerationRequest['input'];

/** Moderation: OpenAI's `POST /v1/moderations`. */
export const moderation: Capability<ModerationRequest> = {
  ...jsonDocument,
  name: 'moderation',
  members: knownMembers(moderationRequestSchema),
  modelName: (value, models, requester) => namedOrDefaultModel(value, defaultModels, models, requester),
  parse(value) {
    assertSchema(value);
    return { ...value, input: ofOneKind(value.input) };
  },
  // An image in the body is not text.
  inputTokens: (request) => estimateTokens(textBytes(request.input)),
  summarize: () => null,
  cacheable: (request) => request,
  endUser: () => null,
  send(connection, request, call, receiver) {
    const send = connection.services.moderation ?? notSupported(connection, 'moderation');
    return send({ ...call, request, stream: false }, receiver);
  },
  parseResponse: parseModerationResponse,
};

/** @throws SluiceError invalid_value */
function ofOneKind(input: ModerationBody['input']): Input {
  if (typeof input === 'string') return input;
  const texts = input.filter((item) => typeof item === 'string');
  if (texts.length === input.length) return texts;
  const parts = input.filter((item) => typeof item !== 'string');
  if (parts.length === input.length) return parts;
  throw new SluiceError('invalid_value', {
    param: 'input',
    values: { reason: 'its items must be all strings, or all parts.' },
  });
}

function textBytes(input: Input): number {
  const items: readonly (string | ModerationPart)[] = typeof input === 'string' ? [input] : input;
  return items.reduce((sum, item) => {
    const text = typeof item === 'string' ? item : item.type === 'text' ? item.text : '';
    return sum + Buffer.byteLength(text);
  }, 0);
}
