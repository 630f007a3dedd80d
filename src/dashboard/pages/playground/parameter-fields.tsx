import type { ReactNode } from 'react';
import { Input, Select } from '../../design/field.tsx';
import type { Parameter } from './capabilities.ts';

export function ParameterFields({
  parameters,
  values,
  onChange,
}: {
  readonly parameters: readonly Parameter[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}): ReactNode {
  const change = (name: string, value: string): void => onChange({ ...values, [name]: value });
  return (
    <div className="grid grid-cols-2 gap-x-1.5 gap-y-2">
      {parameters.map(({ name, label, kind, choices, placeholder, min, max, step }) =>
        choices ? (
          <Select
            key={name}
            label={label}
            value={values[name] ?? ''}
            onChange={({ target }) => change(name, target.value)}
          >
            <option value="">Default</option>
            {choices.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            key={name}
            label={label}
            type={kind}
            min={min}
            max={max}
            step={step}
            placeholder={placeholder ?? 'Default'}
            autoComplete="off"
            value={values[name] ?? ''}
            onChange={({ target }) => change(name, target.value)}
          />
        ),
      )}
    </div>
  );
}
