import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import type { ComparisonKind, ComparisonQuestion } from '../../gateway/comparisons/lane-state.ts';
import { parseInput } from '../parse-input.ts';

const MAX_LANES = 8;
const MAX_IMAGES = 4;
const MAX_NAME_LENGTH = 200;
/** Maximum length of a text that is compared by its embedding, in characters. */
const MAX_TEXT_LENGTH = 100_000;

/** PostgreSQL can store neither NUL nor lone surrogates. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const storable = (most: number) =>
  z.string().min(1).max(most).refine(isStorable, 'must not contain NUL characters or lone surrogates');

export const comparisonNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME_LENGTH)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');

const members = z.record(z.string(), z.unknown());

const inputSchema = z
  .object({
    kind: z.enum(['chat', 'image', 'speech', 'embeddings']),
    name: comparisonNameSchema.nullish(),
    models: z
      .array(storable(256))
      .min(1)
      .max(MAX_LANES)
      .refine((models) => new Set(models).size === models.length, 'must not contain a model twice'),
    prompt: storable(1_000_000).nullish(),
    messages: z.array(z.unknown()).min(1).max(10_000).nullish(),
    texts: z.array(storable(MAX_TEXT_LENGTH)).length(2).nullish(),
    parameters: members.nullish(),
    modelParameters: z
      .array(z.object({ model: z.string(), parameters: members }))
      .max(MAX_LANES)
      .nullish(),
  })
  .superRefine((input, context) => {
    const { kind, prompt, messages, texts, models, modelParameters } = input;
    const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'chat' && (prompt == null) === (messages == null))
      fault('prompt', 'set either `prompt` or `messages`');
    if ((kind === 'image' || kind === 'speech') && prompt == null) fault('prompt', `${kind} needs it`);
    if (kind === 'embeddings' && texts == null) fault('texts', 'two texts are required to compare embeddings');
    if (kind !== 'chat' && messages != null) fault('messages', 'supported for chats only');
    if (kind !== 'embeddings' && texts != null) fault('texts', 'supported for embeddings only');
    if (kind === 'embeddings' && prompt != null) fault('prompt', 'not supported for embeddings; set `texts`');
    const stranger = modelParameters?.find(({ model }) => !models.includes(model));
    if (stranger) fault('modelParameters', `${JSON.stringify(stranger.model.slice(0, 100))} is not compared`);
  });

/** The input before validation. */
export type ComparisonInput = { readonly [Member in keyof z.input<typeof inputSchema>]?: unknown };

/** A validated comparison. */
export interface NewComparison {
  readonly kind: ComparisonKind;
  readonly name: string | null;
  readonly models: readonly string[];
  readonly question: ComparisonQuestion;
}

/** @throws SluiceError bad_user_input, for the first invalid member */
export function readComparison(input: ComparisonInput): NewComparison {
  const { kind, name, models, prompt, messages, texts, parameters, modelParameters } = parseInput(inputSchema, input);
  for (const [param, value] of Object.entries({ messages, parameters, modelParameters })) requireStorable(param, value);
  const perModel = [parameters ?? {}, ...(modelParameters ?? []).map((each) => each.parameters)];
  if (kind === 'image' && perModel.some(({ n }) => typeof n === 'number' && n > MAX_IMAGES))
    throw bad('parameters', `n: at most ${MAX_IMAGES} images of each model`);
  return {
    kind,
    name: name ?? null,
    models,
    question: {
      ...(kind === 'chat' && { messages: messages ?? [{ role: 'user', content: prompt }] }),
      ...(prompt != null && { prompt }),
      ...(texts && { texts }),
      ...(parameters && { parameters }),
      ...(modelParameters && {
        modelParameters: Object.fromEntries(modelParameters.map(({ model, parameters: own }) => [model, own])),
      }),
    },
  };
}

/** @throws SluiceError bad_user_input */
function requireStorable(param: string, value: unknown): void {
  let isFit = true;
  JSON.stringify(value, (name, member: unknown) => {
    if (!isStorable(name) || (typeof member === 'string' && !isStorable(member))) isFit = false;
    return member;
  });
  if (!isFit) throw bad(param, 'must not contain NUL characters or lone surrogates');
}

function bad(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
