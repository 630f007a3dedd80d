import type { ReactNode } from 'react';
import { Textarea } from '../../design/textarea.tsx';
import { parametersOf, type Capability } from './capabilities.ts';
import { toolsIn, type Draft } from './draft.ts';
import { ParameterFields } from './parameter-fields.tsx';

/** What stands beside the prompt. */
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
          placeholder="How it should answer"
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
          hint="A JSON array, as OpenAI’s API takes it. You answer the calls yourself."
          fault={toolsFault(draft)}
          placeholder='[{"type": "function", "function": {"name": "weather", …}}]'
          className="font-mono text-small"
          spellCheck={false}
          value={draft.tools}
          onChange={({ target }) => change({ tools: target.value })}
        />
      ) : null}
    </div>
  );
}

function toolsFault(draft: Draft): string | null {
  try {
    toolsIn(draft);
    return null;
  } catch {
    return 'This is no JSON array yet.';
  }
}
