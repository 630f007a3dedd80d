import { Plus, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { useFieldFault } from '../../design/form-failure.tsx';
import { words } from '../../design/format.ts';
import type { CapabilityLimits, KeyFragment, ModelLimits } from '../../generated/graphql.ts';

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

interface Part {
  /** Its position when it was added. The React key, so that fields retain their input when others are removed. */
  readonly id: number;
  readonly kind: 'model' | 'capability';
  readonly name: string;
  readonly rates: Rates;
}

/** Limits of a key for single models or capabilities, in addition to its general limits. */
export function PartLimitFields({ limits }: { readonly limits: KeyFragment['limits'] | null }): ReactNode {
  const [parts, setParts] = useState<readonly Part[]>(() => partsOf(limits));
  const add = (kind: Part['kind']): void => {
    const id = Math.max(-1, ...parts.map((part) => part.id)) + 1;
    setParts([...parts, { id, kind, name: kind === 'model' ? '' : 'chat', rates: {} }]);
  };
  return (
    <div className="flex flex-col gap-1.5">
      {parts.map((part) => (
        <fieldset key={part.id} className="flex flex-col gap-1 rounded-medium border border-edge p-1.5">
          <legend className="sr-only">Limit for a {part.kind}</legend>
          <div className="flex items-end gap-1">
            <div className="min-w-0 grow">
              <PartName part={part} at={parts.filter((each) => each.kind === part.kind).indexOf(part)} />
            </div>
            <IconButton
              label={`Remove the limit for this ${part.kind}`}
              onClick={() => setParts(parts.filter((other) => other !== part))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
          <div className="grid gap-1 md:grid-cols-2">
            {rates.map(([name, label]) => (
              <Input
                key={name}
                label={label}
                name={`${part.kind}.${name}`}
                type="number"
                min={1}
                max={MAX_RATE}
                step={1}
                defaultValue={part.rates[name] ?? undefined}
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
function PartName({ part, at }: { readonly part: Part; readonly at: number }): ReactNode {
  const member = `limits.${part.kind === 'model' ? 'perModel' : 'perCapability'}.${at}`;
  const fault = useFieldFault((param) => param === member || param === `${member}.${part.kind}`);
  if (part.kind === 'model')
    return (
      <Input
        label="Model"
        name="model"
        required
        maxLength={256}
        defaultValue={part.name}
        placeholder="openai/gpt-5.5"
        fault={fault}
      />
    );
  return (
    <Select label="Capability" name="capability" defaultValue={part.name} fault={fault}>
      {capabilities.map((each) => (
        <option key={each} value={each}>
          {words(each)}
        </option>
      ))}
    </Select>
  );
}

/** Reads these limits from the form. */
export function partLimitsOf(form: FormData): { perModel: ModelLimits[]; perCapability: CapabilityLimits[] } {
  return {
    perModel: named(form, 'model').map(([model, given]) => ({ model, ...given })),
    perCapability: named(form, 'capability').map(([capability, given]) => ({ capability, ...given })),
  };
}

/** `getAll` returns the fields of one name in document order. */
function named(form: FormData, kind: Part['kind']): (readonly [string, Rates])[] {
  return form.getAll(kind).map((name, index) => {
    const given = rates.map(([rate]) => {
      const text = String(form.getAll(`${kind}.${rate}`)[index] ?? '').trim();
      return [rate, text === '' ? null : Number(text)] as const;
    });
    return [String(name).trim(), Object.fromEntries(given)];
  });
}

function partsOf(limits: KeyFragment['limits'] | null): Part[] {
  const models = limits?.perModel.map(({ model, ...given }) => ({ kind: 'model', name: model, rates: given }) as const);
  const others = limits?.perCapability.map(
    ({ capability, ...given }) => ({ kind: 'capability', name: capability, rates: given }) as const,
  );
  return [...(models ?? []), ...(others ?? [])].map((part, id) => ({ id, ...part }));
}
