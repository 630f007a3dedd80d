import { Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { words } from '../../../design/format.ts';
import { JsonTree } from '../../../design/json-tree.tsx';
import { LoggedText, MediaReference } from './logged-text.tsx';
import type { Part } from './parts.ts';
import type { ReadableBody, Turn } from './turns.ts';

/** A request or response as its messages. */
export function BodyView({ label, body }: { readonly label: string; readonly body: ReadableBody }): ReactNode {
  const { turns, tools, rest } = body;
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-1.5">
      <h4 className="font-strong">{label}</h4>
      {turns.length > 0 ? (
        <ol className="flex flex-col gap-2">
          {turns.map((turn, at) => (
            <TurnView key={at} turn={turn} />
          ))}
        </ol>
      ) : null}
      {tools.length > 0 ? (
        <div className="flex flex-col gap-0.5">
          <p className="text-small text-soft">Tools</p>
          {tools.map(({ name, value }, at) => (
            <JsonTree key={at} label={name} value={value} />
          ))}
        </div>
      ) : null}
      {Object.keys(rest).length > 0 ? <JsonTree label="Other fields" value={rest} open={turns.length === 0} /> : null}
    </section>
  );
}

function TurnView({ turn: { role, finish, parts } }: { readonly turn: Turn }): ReactNode {
  return (
    <li className="flex min-w-0 flex-col gap-1 border-l-2 border-line pl-1.5">
      <div className="flex flex-wrap items-center gap-1">
        <span className="text-small font-strong wrap-anywhere text-soft">{words(role)}</span>
        {finish === null ? null : <Badge wraps>{words(finish)}</Badge>}
      </div>
      {parts.length === 0 ? <p className="text-soft">No content.</p> : null}
      {parts.map((part, at) => (
        <PartView key={at} part={part} />
      ))}
    </li>
  );
}

function PartView({ part }: { readonly part: Part }): ReactNode {
  switch (part.kind) {
    case 'text':
      return <LoggedText text={part.text} />;
    case 'media':
      return (
        <p>
          <MediaReference reference={part.text} />
        </p>
      );
    case 'reasoning':
      return (
        <details className="text-soft">
          <summary className="w-fit rounded-small">Reasoning</summary>
          <LoggedText text={part.text} />
        </details>
      );
    case 'call':
      return (
        <div className="flex min-w-0 flex-col gap-0.5">
          <p className="flex flex-wrap items-center gap-x-1">
            <Wrench size={16} aria-hidden className="text-soft" />
            <span>
              Calls <code className="wrap-anywhere">{part.name}</code>
            </span>
            {part.id === null ? null : <code className="text-small wrap-anywhere text-soft">{part.id}</code>}
          </p>
          <JsonTree label="Arguments" value={part.value} open />
        </div>
      );
    case 'result':
      return (
        <div className="flex min-w-0 flex-col gap-0.5">
          <p className="text-small text-soft">
            Result{part.id === null ? '' : ' of '}
            {part.id === null ? null : <code className="wrap-anywhere">{part.id}</code>}
          </p>
          {part.parts.map((each, at) => (
            <PartView key={at} part={each} />
          ))}
        </div>
      );
    case 'json':
      return <JsonTree label={part.name} value={part.value} open />;
  }
}
