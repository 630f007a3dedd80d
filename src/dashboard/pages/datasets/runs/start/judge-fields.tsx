import type { ReactNode } from 'react';
import { textOf } from '../../../../data/form.ts';
import { Select } from '../../../../design/field.tsx';
import { useFieldError } from '../../../../design/form-failure.tsx';
import { SelectedModels } from '../../../../design/selected-models.tsx';
import { Textarea } from '../../../../design/textarea.tsx';
import type { DatasetRunJudgeInput } from '../../../../generated/graphql.ts';
import type { RunDefaults } from '../../search.ts';

const MAX_RUBRIC_CHARACTERS = 4_000;

/** A model that scores the outputs, and how. */
export function JudgeFields({
  judge,
  defaults: { rubric, passFail },
  onJudge,
}: {
  readonly judge: string | undefined;
  readonly defaults: RunDefaults;
  readonly onJudge: (judge: string | undefined) => void;
}): ReactNode {
  const modelError = useFieldError((param) => param === 'judge.model' || param === 'judge');
  const rubricError = useFieldError((param) => param === 'judge.rubric');
  return (
    <div className="flex flex-col gap-1.5">
      <SelectedModels
        capability="chat"
        label="Judge"
        add="Add judge"
        models={judge === undefined ? [] : [judge]}
        max={1}
        error={modelError}
        onChange={([model]) => onJudge(model)}
      />
      <p className="text-soft">
        A model that scores each output by a rubric. It is sent the input, the expected output and the output, and its
        requests are billed in addition to those of the models. It may favour its own outputs.
      </p>
      {judge === undefined ? null : (
        <>
          <Select label="Scores" name="scale" defaultValue={passFail === true ? 'PASS_FAIL' : 'ZERO_TO_ONE'}>
            <option value="ZERO_TO_ONE">0% to 100%</option>
            <option value="PASS_FAIL">Pass or fail</option>
          </Select>
          <Textarea
            label="Rubric"
            name="rubric"
            maxLength={MAX_RUBRIC_CHARACTERS}
            defaultValue={rubric}
            placeholder="By default: the output does what the input asks for, and means the same as the expected output, if there is one."
            error={rubricError}
          />
        </>
      )}
    </div>
  );
}

/** The judge that the form has. */
export function judgeOf(form: FormData, model: string | undefined): DatasetRunJudgeInput | null {
  if (model === undefined) return null;
  const scale = textOf(form, 'scale') === 'PASS_FAIL' ? 'PASS_FAIL' : 'ZERO_TO_ONE';
  return { model, rubric: textOf(form, 'rubric') || null, scale };
}
