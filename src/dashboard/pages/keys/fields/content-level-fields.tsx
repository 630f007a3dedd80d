import type { ReactNode } from 'react';
import { selectedValuesOf } from '../../../data/form.ts';
import { Checkbox, Select } from '../../../design/field.tsx';
import { words } from '../../../design/format.ts';
import type { ContentLevel, CreateApiKeyInput, KeyFragment } from '../../../generated/graphql.ts';
import { usePermissions } from '../../../shell/permissions.ts';

const levels: readonly ContentLevel[] = ['OFF', 'METADATA', 'FULL'];

/** Which content of the key's requests is stored. */
export function ContentLevelFields({ apiKey }: { readonly apiKey: KeyFragment | null }): ReactNode {
  const canRaise = usePermissions().can('content_logging.raise');
  return (
    <>
      <Select
        label="Content logging"
        name="contentLevel"
        defaultValue={apiKey?.contentLevel ?? ''}
        hint="Lowers what the account stores of prompts and answers. Settings, Content explains the levels."
      >
        <option value="">As the account</option>
        {levels.map((level) => (
          <option key={level} value={level}>
            {words(level)}
          </option>
        ))}
      </Select>
      {canRaise ? (
        <>
          <input type="hidden" name="canRaiseContent" value="true" />
          <Checkbox
            label="May store more than the account"
            hint="Only owners can turn this on."
            name="contentMayRaise"
            defaultChecked={apiKey?.contentMayRaise ?? false}
          />
        </>
      ) : null}
    </>
  );
}

/** Reads the settings from the form. Without the permission to raise, that one is left as it is. */
export function contentLevelOf(form: FormData): Pick<CreateApiKeyInput, 'contentLevel' | 'contentMayRaise'> {
  return {
    contentLevel: selectedValuesOf(form, 'contentLevel', levels)[0] ?? null,
    ...(form.has('canRaiseContent') && { contentMayRaise: form.has('contentMayRaise') }),
  };
}
