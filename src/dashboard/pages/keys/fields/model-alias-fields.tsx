import { Plus, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../../design/button.tsx';
import { Input } from '../../../design/field.tsx';
import { useFieldError } from '../../../design/form-failure.tsx';
import type { KeyFragment, ModelAliasInput } from '../../../generated/graphql.ts';

interface Row extends ModelAliasInput {
  /** Its position when it was added. The React key, so that fields retain their input when others are removed. */
  readonly id: number;
}

/** What the key's requests get for the names that they ask for. */
export function ModelAliasFields({ aliases }: { readonly aliases: KeyFragment['modelAliases'] }): ReactNode {
  const [rows, setRows] = useState<readonly Row[]>(() => aliases.map((alias, id) => ({ ...alias, id })));
  const add = (): void =>
    setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, name: '', model: '' }]);
  return (
    <div className="flex flex-col gap-1.5">
      {rows.map((row, at) => (
        <fieldset key={row.id} className="flex items-start gap-1">
          <legend className="sr-only">Alias</legend>
          <div className="grid min-w-0 grow gap-1 md:grid-cols-2">
            <AliasInput label="Requested name" member="name" at={at} value={row.name} placeholder="claude-*" />
            <AliasInput label="Model or route" member="model" at={at} value={row.model} placeholder="openai/gpt-5.5" />
          </div>
          {/* Beside the fields, below their labels. */}
          <div className="pt-3">
            <IconButton label="Remove this alias" onClick={() => setRows(rows.filter((other) => other !== row))}>
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </fieldset>
      ))}
      <div>
        <Button icon={<Plus size={16} aria-hidden />} onClick={add}>
          Add an alias
        </Button>
      </div>
    </div>
  );
}

function AliasInput({
  label,
  member,
  at,
  value,
  placeholder,
}: {
  readonly label: string;
  readonly member: keyof ModelAliasInput;
  /** Its place in the list. */
  readonly at: number;
  readonly value: string;
  readonly placeholder: string;
}): ReactNode {
  const error = useFieldError((param) => param === `modelAliases.${at}.${member}`);
  return (
    <Input
      label={label}
      name={`alias.${member}`}
      required
      maxLength={256}
      defaultValue={value}
      placeholder={placeholder}
      error={error}
    />
  );
}

/** Reads the aliases from the form. */
export function modelAliasesOf(form: FormData): ModelAliasInput[] {
  const models = form.getAll('alias.model');
  return form.getAll('alias.name').map((name, at) => ({
    name: String(name).trim(),
    model: String(models[at] ?? '').trim(),
  }));
}
