import { useState, type ReactNode } from 'react';
import { CopyButton } from './copy.tsx';
import { Select } from './field.tsx';
import type { Sample } from './sample.ts';
import { Tabs } from './tabs.tsx';

/** Code samples by SDK and programming language. The first ones may name none. */
export function CodeSamples({ samples }: { readonly samples: readonly Sample[] }): ReactNode {
  const [sdk, setSdk] = useState<string | undefined>();
  const [language, setLanguage] = useState(samples[0]?.language ?? '');
  const sdks = [...new Set(samples.map((each) => each.sdk))];
  const ofSdk = samples.filter((each) => each.sdk === (sdks.includes(sdk) ? sdk : sdks[0]));
  const current = ofSdk.find((each) => each.language === language) ?? ofSdk[0];
  if (!current) return null;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {sdks.length > 1 ? (
        <div className="w-32 max-w-full">
          <Select
            label="SDK"
            hidesLabel
            value={current.sdk ?? ''}
            onChange={({ target }) => setSdk(target.value === '' ? undefined : target.value)}
          >
            {sdks.map((each) => (
              <option key={each ?? ''} value={each ?? ''}>
                {each ?? 'OpenAI SDK, chat'}
              </option>
            ))}
          </Select>
        </div>
      ) : null}
      <LanguageTabs samples={ofSdk} current={current} onChoose={setLanguage} />
    </div>
  );
}

function LanguageTabs({
  samples,
  current,
  onChoose,
}: {
  readonly samples: readonly Sample[];
  readonly current: Sample;
  readonly onChoose: (language: string) => void;
}): ReactNode {
  return (
    <Tabs
      label="Language"
      chosen={current.language}
      onChoose={onChoose}
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
