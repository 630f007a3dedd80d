import type { z } from 'zod';
import { readModelName } from '../canonical/validation/common-members.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { chatRequestSchema, type ChatRequest } from './decode-request/schema.ts';
import { SluiceError } from '../../errors/index.ts';

const assertSchema: Validator<z.input<typeof chatRequestSchema>> = compileValidator(chatRequestSchema);

/**
 * Validates a parsed JSON body and returns it uncopied.
 * @throws SluiceError of status 400, for the first invalid member in document order
 */
export function decodeChatRequest(body: unknown): ChatRequest {
  readModelName(body);
  assertSchema(body);
  assertConsistentMembers(body);
  return body;
}

/**
 * Rules across members, which the schema of one member cannot express.
 * @throws SluiceError invalid_value | missing_required_parameter
 */
function assertConsistentMembers(request: ChatRequest): void {
  if (request.stream_options && !request.stream) refuse('stream_options', "it is only allowed when 'stream' is true.");
  if (typeof request.top_logprobs === 'number' && !request.logprobs)
    refuse('top_logprobs', "it is only allowed when 'logprobs' is true.");
  if (request.tool_choice && request.tool_choice !== 'none' && request.tool_choice !== 'auto' && !hasTools(request))
    refuse('tool_choice', "it is only allowed when 'tools' are given.");
  if (request.function_call && typeof request.function_call === 'object' && !request.functions)
    refuse('function_call', "it is only allowed when 'functions' are given.");
  if (request.modalities?.includes('audio') && !request.audio)
    throw new SluiceError('missing_required_parameter', { param: 'audio' });
}

function hasTools(request: ChatRequest): boolean {
  return request.tools !== undefined && request.tools !== null && request.tools.length > 0;
}

function refuse(param: string, reason: string): never {
  throw new SluiceError('invalid_value', { param, values: { reason } });
}
