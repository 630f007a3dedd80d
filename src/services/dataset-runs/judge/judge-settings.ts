/** `PASS_FAIL` scores 1 or 0, `ZERO_TO_ONE` any number between them. */
export const judgeScales = ['PASS_FAIL', 'ZERO_TO_ONE'] as const;
export type JudgeScale = (typeof judgeScales)[number];

/** How a model scores the outputs of a run. */
export interface JudgeSettings {
  /** As requested. */
  readonly model: string;
  /** What a good output is. */
  readonly rubric: string;
  readonly scale: JudgeScale;
}

export const DEFAULT_RUBRIC =
  'The output does what the input asks for, correctly and completely. If there is an expected output, the output has the same meaning; other words are no fault.';
