import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { TranscriptionRequest } from '../../../providers/shared/media/transcription-request.ts';
import { Recording } from '../../media/recording.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { knownMembers, type KnownMembers } from '../known-members.ts';
import { tryParse } from '../../json-text.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { transcriptionSchema, translationSchema } from './schema.ts';

type Task = TranscriptionRequest['task'];

const assertTranscription: Validator<z.input<typeof transcriptionSchema>> = compileValidator(transcriptionSchema);
const assertTranslation: Validator<z.input<typeof translationSchema>> = compileValidator(translationSchema);

export const transcriptionMembers: Readonly<Record<Task, KnownMembers>> = {
  transcribe: knownMembers(transcriptionSchema),
  translate: knownMembers(translationSchema),
};

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;
/** These are lists even where a form has one value without brackets. */
const lists: ReadonlySet<string> = new Set([
  'include',
  'keywords',
  'known_speaker_names',
  'known_speaker_references',
  'languages',
  'timestamp_granularities',
]);

/** Parses the fields of a form. @throws SluiceError of status 400 */
export function parseTranscription(task: Task, fields: unknown): TranscriptionRequest {
  readModelName(fields);
  const members = isObject(fields) ? typed(fields) : {};
  const { file } = members;
  if (task === 'transcribe') {
    assertTranscription(members);
    checkGranularities(members);
  } else assertTranslation(members);
  if (!(file instanceof Recording))
    throw new SluiceError('invalid_type', {
      param: 'file',
      values: { expected: 'a file', received: typeof file === 'string' ? 'a string' : 'several files' },
    });
  const { measured } = file;
  if (typeof measured !== 'number') throw measured;
  return { ...members, task, file, durationSeconds: measured };
}

/** @throws SluiceError invalid_value */
function checkGranularities(members: z.input<typeof transcriptionSchema>): void {
  const { timestamp_granularities: requested = [], response_format: format } = members;
  if (requested.length > 0 && format !== 'verbose_json')
    throw new SluiceError('invalid_value', {
      param: 'timestamp_granularities',
      values: { reason: "it requires the response_format 'verbose_json'." },
    });
}

/** Converts form fields to the types of their JSON members. */
function typed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'temperature') members[name] = toNumber(value);
    else if (name === 'stream') members[name] = value === 'true' ? true : value === 'false' ? false : value;
    else if (name === 'chunking_strategy') members[name] = toStrategy(value);
    else if (lists.has(name) && typeof value === 'string') members[name] = [value];
    else members[name] = value;
  }
  return members;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
}

/** Given as separate fields or as one JSON text. */
function toStrategy(value: unknown): unknown {
  const parsed = typeof value === 'string' && value.startsWith('{') ? tryParse(value) : value;
  if (!isObject(parsed)) return value;
  return Object.fromEntries(Object.entries(parsed).map(([name, member]) => [name, toNumber(member)]));
}
