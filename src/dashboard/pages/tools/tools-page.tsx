import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { CodeSamples, CopyLine } from '../../design/code.tsx';
import { Markdown } from '../../design/markdown.tsx';
import { ModelPicker } from '../../design/model-picker.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { useSampleModel } from '../keys/sample-model.ts';
import { setUps, type SetUp } from './set-ups.ts';
import { ToolKey } from './tool-key.tsx';
import { toolId, type ToolsSearch } from './search.ts';

const languageNames = { sh: 'Shell', json: 'JSON', yaml: 'YAML' } as const;
/** What tools request of their own choice. */
const requestedBy: Readonly<Record<string, string>> = {
  Codex: 'gpt-*',
  'Claude Code': 'claude-*',
  'Gemini CLI': 'gemini-*',
};
const patterns = Object.values(requestedBy);

export function ToolsPage(): ReactNode {
  const search = useSearch({ from: '/shell/tools' });
  const navigate = useNavigate({ from: '/tools' });
  const sample = useSampleModel(null);
  const [key, setKey] = useState<string | null>(null);
  const tool = setUps.find((each) => toolId(each) === search.tool) ?? setUps[0];
  const model = search.model ?? sample?.id ?? null;
  const go = (next: ToolsSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  if (!tool) return null;
  return (
    <Page title="Connect your tools" lead="Any tool that lets you set a base URL works with Sluice.">
      <div className="grid gap-4 md:grid-cols-2">
        <Section title="Key">
          <ToolKey tool={tool.name} model={model} pattern={requestedBy[tool.name] ?? null} onChange={setKey} />
        </Section>
        <Section title="Model">
          <ModelPicker capability="chat" chosen={model} onChoose={({ id }) => go({ model: id })} />
          <Patterns />
        </Section>
      </div>
      <Section title="Set-up">
        <Tabs
          label="Tool"
          chosen={toolId(tool)}
          onChoose={(id) => go({ tool: id })}
          tabs={setUps.map((setUp) => ({
            name: toolId(setUp),
            label: setUp.name,
            content: model === null ? null : <Steps setUp={setUp} model={model} secret={key} />,
          }))}
        />
      </Section>
    </Page>
  );
}

function Steps({
  setUp: { path, before, language, code, after, file },
  model,
  secret,
}: {
  readonly setUp: SetUp;
  readonly model: string;
  /** Null without a key. */
  readonly secret: string | null;
}): ReactNode {
  const { origin } = location;
  return (
    <div className="flex flex-col gap-2 pt-2">
      {code ? <CopyLine text={`export SLUICE_API_KEY=${secret ?? '<your key>'}`} label="Copy the variable" /> : null}
      {/* It introduces the code. */}
      {before ? <Markdown text={before} /> : null}
      {code && language ? (
        <CodeSamples samples={[{ language: languageNames[language], code: code({ origin, model }) }]} />
      ) : (
        <>
          <CopyLine text={`${origin}${path}`} label="Copy the base URL" />
          <CopyLine text={secret ?? '<your key>'} label="Copy the API key" />
          <CopyLine text={model} label="Copy the model" />
        </>
      )}
      {after ? <Markdown text={after} /> : null}
      {file ? <CodeSamples samples={[{ language: 'TOML', code: file({ origin, model }) }]} /> : null}
    </div>
  );
}

/** Links to routes for the names that agents request. */
function Patterns(): ReactNode {
  const { can } = usePermissions();
  if (!can('routes.write')) return null;
  return (
    <p className="text-soft">
      Agents also request models of their own choice. A key can have aliases for such names, or create a route for all
      keys:{' '}
      {patterns.map((pattern, index) => (
        <span key={pattern}>
          {index > 0 ? ', ' : ''}
          <Link
            to="/routes"
            search={{ create: true, name: pattern }}
            className="font-mono text-accent underline underline-offset-2"
          >
            {pattern}
          </Link>
        </span>
      ))}
      .
    </p>
  );
}
