import type { ReactNode } from 'react';
import { Textarea } from '../../design/textarea.tsx';
import { parametersOf, type Capability } from './capabilities.ts';
import { othersIn, toolsIn, type Draft } from './draft.ts';
import { ParameterFields } from './parameter-fields.tsx';

/** The settings of a request besides the prompt. */
export function Settings({
  capability,
  draft,
  change,
}: {
  readonly capability: Capability;
  readonly draft: Draft;
  readonly change: (next: Partial<Draft>) => void;
}): ReactNode {
  const isChat = capability === 'chat';
  return (
    <div className="flex flex-col gap-2">
      {isChat ? (
        <Textarea
          label="System prompt"
          placeholder="Instructions for the model"
          value={draft.system}
          onChange={({ target }) => change({ system: target.value })}
        />
      ) : null}
      <ParameterFields
        parameters={parametersOf[capability]}
        values={draft.parameters}
        onChange={(parameters) => change({ parameters })}
      />
      {isChat ? (
        <Textarea
          label="Tools"
          hint="A JSON array in OpenAI’s format. You enter the results of tool calls yourself."
          error={toolsErrorOf(draft)}
          placeholder='[{"type": "function", "function": {"name": "weather", …}}]'
          className="font-mono text-small"
          spellCheck={false}
          value={draft.tools}
          onChange={({ target }) => change({ tools: target.value })}
        />
      ) : null}
      {isChat ? <OtherParameters value={draft.others} onChange={(others) => change({ others })} /> : null}
    </div>
  );
}

/** Parameters of a chat that have no field. */
export function OtherParameters({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <Textarea
      label="Other parameters"
      hint="A JSON object with further members of the request."
      error={othersErrorOf(value)}
      placeholder='{"response_format": {"type": "json_object"}}'
      className="font-mono text-small"
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function othersErrorOf(others: string): string | null {
  try {
    othersIn({ others });
    return null;
  } catch {
    return 'This is not a valid JSON object.';
  }
}

function toolsErrorOf(draft: Draft): string | null {
  try {
    toolsIn(draft);
    return null;
  } catch {
    return 'This is not a valid JSON array.';
  }
}
