import { z } from 'zod';
import { isStorableText } from '../../database/storable-text.ts';
import { parseInput } from '../parse-input.ts';
import { DEFAULT_RUBRIC, judgeScales, type JudgeSettings } from './judge/judge-settings.ts';
import { scorerNames, type ScorerName } from './scorers.ts';

const MAX_MODELS = 8;
const MAX_NAME_CHARACTERS = 200;
const MAX_MODEL_CHARACTERS = 256;
const MAX_RUBRIC_CHARACTERS = 4_000;
const MAX_TOKENS = 10_000_000;

const text = (most: number) =>
  z.string().trim().min(1).max(most).refine(isStorableText, 'must not contain NUL characters or lone surrogates');
const unique = (values: readonly string[]): boolean => new Set(values).size === values.length;

/** The models of a run. */
export const modelNames = z
  .array(text(MAX_MODEL_CHARACTERS))
  .min(1, 'give at least 1 model')
  .max(MAX_MODELS, `give at most ${MAX_MODELS} models`)
  .refine(unique, 'must not contain a model twice');

const judgeSchema = z.object({
  model: text(MAX_MODEL_CHARACTERS),
  rubric: text(MAX_RUBRIC_CHARACTERS).nullish(),
  scale: z.enum(judgeScales).nullish(),
});

const inputSchema = z
  .object({
    name: text(MAX_NAME_CHARACTERS).nullish(),
    models: modelNames,
    scorers: z.array(z.enum(scorerNames)).max(scorerNames.length).refine(unique, 'must not contain a scorer twice'),
    judge: judgeSchema.nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    maxTokens: z.int().min(1).max(MAX_TOKENS).nullish(),
  })
  .refine(({ scorers, judge }) => judge != null || !scorers.includes('JUDGE'), {
    path: ['judge'],
    error: 'the scorer `JUDGE` needs a model. Give `judge`, or remove the scorer',
  });

/** The input before validation. */
export type RunInput = { readonly [Member in keyof z.input<typeof inputSchema>]?: unknown };

export interface NewRun {
  readonly name: string;
  readonly models: readonly string[];
  /** `JUDGE` is the last one, where there is a judge. */
  readonly scorers: readonly ScorerName[];
  readonly judge: JudgeSettings | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

/** @throws SluiceError bad_user_input, for the first invalid member */
export function readRunInput(input: RunInput): NewRun {
  const { name, models, scorers, judge, temperature, maxTokens } = parseInput(inputSchema, input);
  return {
    name: name ?? models.join(', ').slice(0, MAX_NAME_CHARACTERS).toWellFormed(),
    models,
    scorers: judge == null ? scorers : [...scorers.filter((each) => each !== 'JUDGE'), 'JUDGE'],
    judge:
      judge == null
        ? null
        : { model: judge.model, rubric: judge.rubric ?? DEFAULT_RUBRIC, scale: judge.scale ?? 'ZERO_TO_ONE' },
    temperature: temperature ?? null,
    maxTokens: maxTokens ?? null,
  };
}
