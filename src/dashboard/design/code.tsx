import { useState, type ReactNode } from 'react';
import { CopyButton } from './copy.tsx';
import { Tabs } from './tabs.tsx';

export interface Sample {
  readonly language: string;
  readonly code: string;
}

/** Code samples by programming language. */
export function CodeSamples({ samples }: { readonly samples: readonly Sample[] }): ReactNode {
  const [language, setLanguage] = useState(samples[0]?.language ?? '');
  const current = samples.find((each) => each.language === language) ?? samples[0];
  if (!current) return null;
  return (
    <Tabs
      label="Language"
      chosen={current.language}
      onChoose={setLanguage}
      beside={<CopyButton text={current.code} label={`Copy the ${current.language} code`} />}
      tabs={samples.map((each) => ({ name: each.language, label: each.language, content: <Code code={each.code} /> }))}
    />
  );
}

export const codeBlockClass = 'overflow-x-auto rounded-medium bg-panel p-2 font-mono text-small leading-[20px]';

function Code({ code }: { readonly code: string }): ReactNode {
  return (
    // Focusable, so that a keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0} aria-label="Code" role="region" className={`mt-1 ${codeBlockClass}`}>
      {code}
    </pre>
  );
}

/** A single line with a copy button: a key, a URL, an ID. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <div className="flex items-center gap-1 rounded-medium border border-line bg-panel py-0.5 pr-0.5 pl-1.5">
      <code className="min-w-0 flex-1 font-mono break-all">{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
