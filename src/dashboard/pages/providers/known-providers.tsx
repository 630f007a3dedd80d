import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Input } from '../../design/field.tsx';
import { Section } from '../../design/page.tsx';
import type { ProviderPartsFragment } from '../../generated/graphql.ts';

/** The providers that can be connected by name. */
export function KnownProviders({
  providers,
  search,
  onSearch,
  onChoose,
}: {
  readonly providers: readonly ProviderPartsFragment[];
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChoose: (id: string) => void;
}): ReactNode {
  const wanted = search.toLowerCase();
  const shown = providers.filter(({ id, name, alsoKnownAs }) =>
    [id, name, ...alsoKnownAs].some((each) => each.toLowerCase().includes(wanted)),
  );
  return (
    <Section title="Connect a provider">
      <div className="max-w-40">
        <Input
          label="Find a provider"
          hidesLabel
          type="search"
          placeholder="Find a provider"
          defaultValue={search}
          onChange={({ target }) => onSearch(target.value)}
        />
      </div>
      <ul className="grid grid-cols-2 gap-1 md:grid-cols-3 lg:grid-cols-4">
        {shown.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onChoose(id)}
              className="flex h-full min-h-7 w-full items-center gap-1 rounded-medium border border-line px-1.5 py-0.5 text-left hover:bg-hover"
            >
              <span className="min-w-0 flex-1">
                <span className="block font-strong wrap-anywhere">{name}</span>
                <span className="block font-mono text-small wrap-anywhere text-soft">{id}/…</span>
              </span>
              <Plus size={16} aria-hidden className="shrink-0 text-soft" />
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? (
        <p className="text-soft">
          No provider matches this name. Connect any server with an OpenAI-compatible API by its base URL: use “Connect
          a server”.
        </p>
      ) : null}
    </Section>
  );
}
