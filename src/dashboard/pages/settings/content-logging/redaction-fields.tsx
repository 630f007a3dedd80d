import { useId, useState, type ReactNode } from 'react';
import { Plus, X } from 'lucide-react';
import { selectedValuesOf } from '../../../data/form.ts';
import { Button, IconButton } from '../../../design/button.tsx';
import { Checkbox, FieldGroup, Input } from '../../../design/field.tsx';
import { useFieldError } from '../../../design/form-failure.tsx';
import type { AccountContentLoggingFragment, RedactionDetector, RedactionInput } from '../../../generated/graphql.ts';

type Redaction = AccountContentLoggingFragment['contentLogging']['redaction'];

const detectors: readonly (readonly [RedactionDetector, label: string, hint: string])[] = [
  ['EMAIL', 'E-mail addresses', 'jane@example.com'],
  ['PHONE', 'Telephone numbers', '+49 30 1234567, (555) 234-5678'],
  ['CARD', 'Payment cards', 'With a right check digit'],
  ['IBAN', 'Bank accounts (IBAN)', 'With a right checksum'],
  ['IP', 'IP addresses', 'IPv4 and IPv6'],
  ['SECRET', 'Keys, tokens and passwords', 'sk-…, AKIA…, Bearer …, password=…'],
];
const MAX_PATTERNS = 20;
const MAX_NAME_LENGTH = 40;
const MAX_PATTERN_LENGTH = 256;

/** What is replaced in content: detectors, and the account's own expressions. */
export function RedactionFields({ redaction }: { readonly redaction: Redaction }): ReactNode {
  return (
    <>
      <FieldGroup legend="Redaction" hint="What is found is replaced before storage, for example by [redacted:email].">
        <div className="grid gap-1 md:grid-cols-2">
          {detectors.map(([detector, label, hint]) => (
            <Checkbox
              key={detector}
              label={label}
              hint={hint}
              name="detectors"
              value={detector}
              defaultChecked={redaction.detectors.includes(detector)}
            />
          ))}
        </div>
      </FieldGroup>
      <Patterns initial={redaction.customPatterns} />
    </>
  );
}

function Patterns({ initial }: { readonly initial: Redaction['customPatterns'] }): ReactNode {
  const id = useId();
  const [rows, setRows] = useState(() => initial.map((pattern, at) => ({ ...pattern, key: `${id}${at}` })));
  const [added, setAdded] = useState(0);
  const add = (): void => {
    setRows([...rows, { name: '', pattern: '', key: `${id}new${added}` }]);
    setAdded(added + 1);
  };
  return (
    <FieldGroup
      legend="Expressions"
      hint="Your own patterns, in the syntax of RE2: TICKET-[0-9]{4,8}. The name stands in replacements."
    >
      {rows.map((row, at) => (
        <PatternRow
          key={row.key}
          at={at}
          row={row}
          onRemove={() => setRows(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      {rows.length < MAX_PATTERNS ? (
        <div>
          <Button onClick={add}>
            <Plus size={16} aria-hidden />
            Add expression
          </Button>
        </div>
      ) : null}
    </FieldGroup>
  );
}

function PatternRow({
  at,
  row,
  onRemove,
}: {
  readonly at: number;
  readonly row: Redaction['customPatterns'][number];
  readonly onRemove: () => void;
}): ReactNode {
  const error = useFieldError((param) => param.split('.').slice(0, 3).join('.') === `redaction.customPatterns.${at}`);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] items-start gap-1">
      <Input
        label={`Name of expression ${at + 1}`}
        hidesLabel
        name="patternName"
        required
        maxLength={MAX_NAME_LENGTH}
        placeholder="ticket"
        defaultValue={row.name}
      />
      <Input
        label={`Expression ${at + 1}`}
        hidesLabel
        name="pattern"
        required
        maxLength={MAX_PATTERN_LENGTH}
        placeholder="TICKET-[0-9]{4,8}"
        className="font-mono"
        defaultValue={row.pattern}
        error={error}
      />
      <IconButton label={`Remove expression ${at + 1}`} onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Reads the rules from the form. */
export function redactionOf(form: FormData): RedactionInput {
  const names = form.getAll('patternName');
  const patterns = form.getAll('pattern');
  return {
    detectors: selectedValuesOf(
      form,
      'detectors',
      detectors.map(([detector]) => detector),
    ),
    customPatterns: names.map((name, at) => ({ name: String(name).trim(), pattern: String(patterns[at] ?? '') })),
  };
}
