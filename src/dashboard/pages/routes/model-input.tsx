import { useId, useState, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Input } from '../../design/field.tsx';
import { ModelNamesDocument } from '../../generated/graphql.ts';

/** A field for a model's name that suggests available models. */
export function ModelInput({
  label,
  name,
  hidesLabel,
  hint,
  error,
  required,
  defaultValue,
  placeholder,
  onChange,
}: {
  readonly label: string;
  readonly name?: string;
  readonly hidesLabel?: boolean;
  readonly hint?: string;
  readonly error?: ReactNode;
  readonly required?: boolean;
  readonly defaultValue?: string;
  readonly placeholder?: string;
  readonly onChange?: (text: string) => void;
}): ReactNode {
  const list = useId();
  const [typed, setTyped] = useState('');
  const { data } = useQuery(ModelNamesDocument, { search: typed }, { pause: typed.length < 2 });
  return (
    <>
      <Input
        label={label}
        name={name}
        hidesLabel={hidesLabel}
        hint={hint}
        error={error}
        required={required}
        maxLength={256}
        list={list}
        autoComplete="off"
        spellCheck={false}
        defaultValue={defaultValue}
        placeholder={placeholder}
        onChange={({ target }) => {
          setTyped(target.value.trim());
          onChange?.(target.value.trim());
        }}
      />
      <datalist id={list}>
        {data?.models.nodes.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}
