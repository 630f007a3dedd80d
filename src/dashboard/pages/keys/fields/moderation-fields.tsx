import type { ReactNode } from 'react';
import { selectedValuesOf, textOf } from '../../../data/form.ts';
import { Checkbox, Input, Select } from '../../../design/field.tsx';
import { useFieldError } from '../../../design/form-failure.tsx';
import { words } from '../../../design/format.ts';
import type { KeyFragment, ModerationAction, ModerationCheck, ModerationInput } from '../../../generated/graphql.ts';

const checks: readonly ModerationCheck[] = ['INPUT', 'OUTPUT'];
const actions: readonly ModerationAction[] = ['BLOCK', 'ANNOTATE'];

/** The moderation settings of a key or a route. */
export function ModerationFields({ moderation }: { readonly moderation: KeyFragment['moderation'] | null }): ReactNode {
  const error = useFieldError((param) => param === 'moderation.model');
  return (
    <div className="grid gap-1.5 md:grid-cols-2">
      <Input
        label="Model"
        name="moderationModel"
        placeholder="sandbox/moderation"
        defaultValue={moderation?.model}
        error={error}
      />
      <Select label="Action" name="moderationAction" defaultValue={moderation?.action ?? 'BLOCK'}>
        {actions.map((action) => (
          <option key={action} value={action}>
            {words(action)}
          </option>
        ))}
      </Select>
      {checks.map((check) => (
        <Checkbox
          key={check}
          label={words(check)}
          name="moderationCheck"
          value={check}
          defaultChecked={moderation ? moderation.check.includes(check) : true}
        />
      ))}
    </div>
  );
}

/** Null when no model is set. */
export function moderationOf(form: FormData): ModerationInput | null {
  const model = textOf(form, 'moderationModel');
  if (model === '') return null;
  return {
    model,
    action: selectedValuesOf(form, 'moderationAction', actions)[0] ?? 'BLOCK',
    check: selectedValuesOf(form, 'moderationCheck', checks),
  };
}
