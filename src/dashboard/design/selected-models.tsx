import { Plus, X } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { SandboxBadge } from './badge.tsx';
import { Button } from './button.tsx';
import { ModelPicker } from './model-picker.tsx';

/** A list of models to which models with a capability are added. */
export function SelectedModels({
  capability,
  models,
  max,
  label = 'Models',
  add = 'Add model',
  error,
  onChange,
}: {
  readonly capability: string;
  readonly models: readonly string[];
  readonly max: number;
  readonly label?: string;
  /** Of the button that adds a model. */
  readonly add?: string;
  readonly error?: ReactNode;
  readonly onChange: (models: readonly string[]) => void;
}): ReactNode {
  const id = useId();
  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={error ? `${id}-error` : undefined}
      className="flex flex-col gap-0.5"
    >
      <span id={id} className="font-strong">
        {label}
      </span>
      <ul aria-label={`Selected ${label.toLowerCase()}`} className="flex flex-wrap gap-1">
        {models.map((model) => (
          <li
            key={model}
            className="flex min-h-4.5 max-w-full items-center gap-1 rounded-medium border border-line bg-panel pl-1.5 max-md:min-h-5.5"
          >
            <span className="min-w-0 font-mono wrap-anywhere">{model}</span>
            <SandboxBadge model={model} />
            <button
              type="button"
              aria-label={`Remove ${model}`}
              onClick={() => onChange(models.filter((each) => each !== model))}
              className="grid size-4 shrink-0 place-items-center rounded-medium text-soft hover:text-ink"
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        ))}
        {models.length < max ? (
          <li>
            <ModelPicker
              capability={capability}
              chosen={null}
              without={models}
              onChoose={({ id: model }) => onChange([...models, model])}
              trigger={<Button icon={<Plus size={16} aria-hidden />}>{add}</Button>}
            />
          </li>
        ) : null}
      </ul>
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-bad">
          {error}
        </p>
      ) : null}
    </div>
  );
}
