import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { FieldGroup, Input } from '../../design/field.tsx';
import { useFieldError } from '../../design/form-failure.tsx';
import { ModelInput } from './model-input.tsx';

export interface TargetDraft {
  readonly key: number;
  readonly model: string;
  readonly weight: string;
}

const MAX_TARGETS = 64;
let nextKey = 0;

export function draftOf(model = '', weight = 1): TargetDraft {
  nextKey += 1;
  return { key: nextKey, model, weight: String(weight) };
}

/** The targets of a route, in order. */
export function TargetsField({
  targets,
  onChange,
}: {
  readonly targets: readonly TargetDraft[];
  readonly onChange: (targets: readonly TargetDraft[]) => void;
}): ReactNode {
  const [announcement, setAnnouncement] = useState('');
  const change = (index: number, part: Partial<TargetDraft>): void =>
    onChange(targets.map((each, at) => (at === index ? { ...each, ...part } : each)));
  const move = (from: number, to: number): void => {
    const moved = [...targets];
    moved.splice(to, 0, ...moved.splice(from, 1));
    onChange(moved);
    setAnnouncement(`${targets[from]?.model || 'The target'} is now number ${to + 1}.`);
  };
  return (
    <FieldGroup legend="Targets" hint="Tried in order. When one fails or is rate limited, the next is tried.">
      <div aria-hidden className="grid grid-cols-[minmax(0,1fr)_72px_108px] gap-0.5 text-small text-soft max-md:hidden">
        <span>Model</span>
        <span>Weight</span>
      </div>
      <ol className="flex flex-col gap-1">
        {targets.map(({ key, model, weight }, index) => (
          <li
            key={key}
            className="grid grid-cols-[minmax(0,1fr)_72px_auto] items-start gap-0.5 max-md:grid-cols-[72px_minmax(0,1fr)]"
          >
            <div className="min-w-0 max-md:col-span-2">
              <TargetModel
                index={index}
                model={model}
                isListed={model !== '' && targets.slice(0, index).some((other) => other.model === model)}
                onChange={(text) => change(index, { model: text })}
              />
            </div>
            <Input
              label={`Weight of target ${index + 1}`}
              hidesLabel
              title="Weight"
              type="number"
              min={0}
              max={1_000_000}
              step="any"
              required
              value={weight}
              onChange={({ target }) => change(index, { weight: target.value })}
            />
            <span className="flex">
              <IconButton
                label={`Move target ${index + 1} up`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              >
                <ArrowUp size={16} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move target ${index + 1} down`}
                disabled={index === targets.length - 1}
                onClick={() => move(index, index + 1)}
              >
                <ArrowDown size={16} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove target ${index + 1}`}
                disabled={targets.length === 1}
                onClick={() => onChange(targets.filter((each) => each.key !== key))}
              >
                <X size={16} aria-hidden />
              </IconButton>
            </span>
          </li>
        ))}
      </ol>
      <span role="status" className="sr-only">
        {announcement}
      </span>
      {targets.length < MAX_TARGETS ? (
        <div>
          <Button icon={<Plus size={16} aria-hidden />} onClick={() => onChange([...targets, draftOf()])}>
            Add target
          </Button>
        </div>
      ) : null}
    </FieldGroup>
  );
}

function TargetModel({
  index,
  model,
  isListed,
  onChange,
}: {
  readonly index: number;
  readonly model: string;
  /** Whether an earlier target has the same model. */
  readonly isListed: boolean;
  readonly onChange: (model: string) => void;
}): ReactNode {
  const error = useFieldError((param) => param === `targets.${index}.model`);
  return (
    <ModelInput
      label={`Target ${index + 1}`}
      hidesLabel
      required
      defaultValue={model}
      placeholder="openai/gpt-5.5"
      error={error ?? (isListed ? 'This target is already listed.' : null)}
      onChange={onChange}
    />
  );
}
