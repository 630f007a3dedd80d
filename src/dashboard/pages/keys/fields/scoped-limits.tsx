import { Plus, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../../design/button.tsx';
import { Input, Select } from '../../../design/field.tsx';
import { useFieldError } from '../../../design/form-failure.tsx';
import { words } from '../../../design/format.ts';
import type { CapabilityLimits, KeyFragment, ModelLimits } from '../../../generated/graphql.ts';

const capabilities = ['chat', 'embeddings', 'images', 'moderation', 'rerank', 'speech', 'transcription', 'video'];
/** The server's limit. */
export const MAX_RATE = 1_000_000_000;
export const rates = [
  ['requestsPerMinute', 'Requests per minute'],
  ['tokensPerMinute', 'Tokens per minute'],
  ['requestsPerDay', 'Requests per day'],
  ['concurrency', 'Concurrent requests'],
] as const;

type Rates = Readonly<Partial<Record<(typeof rates)[number][0], number | null>>>;

interface ScopedLimit {
  /** Its position when it was added. The React key, so that fields retain their input when others are removed. */
  readonly id: number;
  readonly kind: 'model' | 'capability';
  readonly name: string;
  readonly rates: Rates;
}

/** Limits of a key for single models or capabilities, in addition to its general limits. */
export function ScopedLimitFields({ limits }: { readonly limits: KeyFragment['limits'] | null }): ReactNode {
  const [scopedLimits, setScopedLimits] = useState<readonly ScopedLimit[]>(() => toScopedLimits(limits));
  const add = (kind: ScopedLimit['kind']): void => {
    const id = Math.max(-1, ...scopedLimits.map((scopedLimit) => scopedLimit.id)) + 1;
    setScopedLimits([...scopedLimits, { id, kind, name: kind === 'model' ? '' : 'chat', rates: {} }]);
  };
  return (
    <div className="flex flex-col gap-1.5">
      {scopedLimits.map((scopedLimit) => (
        <fieldset key={scopedLimit.id} className="flex flex-col gap-1 rounded-medium border border-edge p-1.5">
          <legend className="sr-only">Limit for a {scopedLimit.kind}</legend>
          <div className="flex items-end gap-1">
            <div className="min-w-0 grow">
              <ScopeName
                scopedLimit={scopedLimit}
                at={scopedLimits.filter((each) => each.kind === scopedLimit.kind).indexOf(scopedLimit)}
              />
            </div>
            <IconButton
              label={`Remove the limit for this ${scopedLimit.kind}`}
              onClick={() => setScopedLimits(scopedLimits.filter((other) => other !== scopedLimit))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
          <div className="grid gap-1 md:grid-cols-2">
            {rates.map(([name, label]) => (
              <Input
                key={name}
                label={label}
                name={`${scopedLimit.kind}.${name}`}
                type="number"
                min={1}
                max={MAX_RATE}
                step={1}
                defaultValue={scopedLimit.rates[name] ?? undefined}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <div className="flex flex-wrap gap-1">
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => add('model')}>
          Limit a model
        </Button>
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => add('capability')}>
          Limit a capability
        </Button>
      </div>
    </div>
  );
}

/** @param at its index among the limits of the same kind */
function ScopeName({ scopedLimit, at }: { readonly scopedLimit: ScopedLimit; readonly at: number }): ReactNode {
  const member = `limits.${scopedLimit.kind === 'model' ? 'perModel' : 'perCapability'}.${at}`;
  const error = useFieldError((param) => param === member || param === `${member}.${scopedLimit.kind}`);
  if (scopedLimit.kind === 'model')
    return (
      <Input
        label="Model"
        name="model"
        required
        maxLength={256}
        defaultValue={scopedLimit.name}
        placeholder="openai/gpt-5.5"
        error={error}
      />
    );
  return (
    <Select label="Capability" name="capability" defaultValue={scopedLimit.name} error={error}>
      {capabilities.map((each) => (
        <option key={each} value={each}>
          {words(each)}
        </option>
      ))}
    </Select>
  );
}

/** Reads these limits from the form. */
export function scopedLimitsOf(form: FormData): { perModel: ModelLimits[]; perCapability: CapabilityLimits[] } {
  return {
    perModel: named(form, 'model').map(([model, given]) => ({ model, ...given })),
    perCapability: named(form, 'capability').map(([capability, given]) => ({ capability, ...given })),
  };
}

/** `getAll` returns the fields of one name in document order. */
function named(form: FormData, kind: ScopedLimit['kind']): (readonly [string, Rates])[] {
  return form.getAll(kind).map((name, index) => {
    const given = rates.map(([rate]) => {
      const text = String(form.getAll(`${kind}.${rate}`)[index] ?? '').trim();
      return [rate, text === '' ? null : Number(text)] as const;
    });
    return [String(name).trim(), Object.fromEntries(given)];
  });
}

function toScopedLimits(limits: KeyFragment['limits'] | null): ScopedLimit[] {
  const models = limits?.perModel.map(({ model, ...given }) => ({ kind: 'model', name: model, rates: given }) as const);
  const others = limits?.perCapability.map(
    ({ capability, ...given }) => ({ kind: 'capability', name: capability, rates: given }) as const,
  );
  return [...(models ?? []), ...(others ?? [])].map((scopedLimit, id) => ({ id, ...scopedLimit }));
}
