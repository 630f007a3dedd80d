import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { count, money, words } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import { Time } from '../../design/time.tsx';
import type { ListedKeyFragment } from '../../generated/graphql.ts';
import { nextSort, partsOf, type KeyFigure, type ListedKey } from './key-sort.ts';
import type { KeySort } from './search.ts';

export function KeyTable({
  keys,
  sort,
  onSort,
  onOpen,
}: {
  readonly keys: readonly ListedKey[];
  readonly sort: KeySort | undefined;
  readonly onSort: (sort: KeySort) => void;
  readonly onOpen: (key: ListedKeyFragment) => void;
}): ReactNode {
  const title = (by: KeyFigure, text: string, className = ''): ReactNode => (
    <SortTitle by={by} text={text} className={className} sort={sort} onSort={onSort} />
  );
  const withSpend = keys.some(({ monthSpend }) => monthSpend);
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">API keys</caption>
      <thead className="text-small text-soft">
        <tr>
          {title('name', 'Name', 'h-4')}
          <th className="px-1 font-normal max-md:hidden">Scopes</th>
          <th className="px-1 font-normal max-lg:hidden">Limits</th>
          <th className="w-22 px-1 font-normal max-md:hidden">Budget</th>
          {withSpend ? title('month', 'This month (USD)', 'text-right max-md:hidden') : null}
          {withSpend ? title('total', 'Total (USD)', 'text-right max-lg:hidden') : null}
          {title('used', 'Last used', 'max-md:hidden')}
          <th className="px-1 font-normal">Status</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id} className="relative border-t border-line hover:bg-hover">
            <td className="h-7 min-w-16 px-1 py-0.75 wrap-anywhere">
              <button
                type="button"
                onClick={() => onOpen(key)}
                className="text-left font-strong wrap-anywhere -outline-offset-2 after:absolute after:inset-0"
              >
                {key.name}
              </button>
              <div className="font-mono text-small whitespace-nowrap text-soft">{key.hint}</div>
              {key.monthSpend ? (
                <div className="figures text-small text-soft md:hidden">
                  {money(key.monthSpend.total.cost.amount)} this month
                </div>
              ) : null}
              {key.previousSecretExpiresAt ? (
                <div className="text-small text-warn">
                  Old secret expires <Time at={key.previousSecretExpiresAt} as="relative" />
                </div>
              ) : null}
            </td>
            <td className="px-1 py-0.75 max-md:hidden">
              <span className="flex flex-wrap gap-0.5">
                {key.scopes.map((scope) => (
                  <Badge key={scope}>{words(scope)}</Badge>
                ))}
              </span>
            </td>
            <td className="px-1 py-0.75 wrap-anywhere text-soft max-lg:hidden">{limitsText(key)}</td>
            <td className="px-1 max-md:hidden">
              {key.budget ? <BudgetCell budget={key.budget} /> : <span className="text-soft">None</span>}
            </td>
            {withSpend ? <SpendCell spend={key.monthSpend} className="max-md:hidden" /> : null}
            {withSpend ? <SpendCell spend={key.totalSpend} className="max-lg:hidden" /> : null}
            <td className="px-1 text-soft max-md:hidden">
              {key.lastUsedAt ? <Time at={key.lastUsedAt} as="relative" /> : 'Never'}
            </td>
            <td className="px-1">
              <KeyState apiKey={key} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SortTitle({
  by,
  text,
  className,
  sort,
  onSort,
}: {
  readonly by: KeyFigure;
  readonly text: string;
  readonly className: string;
  readonly sort: KeySort | undefined;
  readonly onSort: (sort: KeySort) => void;
}): ReactNode {
  const descends = sort !== undefined && partsOf(sort).by === by ? partsOf(sort).descends : null;
  const Arrow = descends ? ArrowDown : ArrowUp;
  return (
    <th
      aria-sort={descends === null ? undefined : descends ? 'descending' : 'ascending'}
      className={`px-1 font-normal ${className}`}
    >
      <button
        type="button"
        onClick={() => onSort(nextSort(sort, by))}
        className={`inline-flex items-center gap-0.25 rounded-small -outline-offset-2 hover:text-ink ${descends === null ? '' : 'font-strong text-ink'}`}
      >
        {text}
        {descends === null ? null : <Arrow size={12} aria-hidden className="shrink-0" />}
      </button>
    </th>
  );
}

function SpendCell({
  spend,
  className,
}: {
  readonly spend: ListedKey['monthSpend'];
  readonly className: string;
}): ReactNode {
  return (
    <td className={`figures px-1 text-right ${className}`}>
      {spend ? money(spend.total.cost.amount) : <span className="text-soft">–</span>}
    </td>
  );
}

function BudgetCell({ budget }: { readonly budget: NonNullable<ListedKeyFragment['budget']> }): ReactNode {
  const text = `${money(budget.spent.amount)} of ${money(budget.amount.amount)}`;
  return (
    <div className="flex flex-col gap-0.5">
      <span className="text-small">{text}</span>
      <Meter label="Budget" used={Number(budget.spent.amount)} max={Number(budget.amount.amount)} text={text} />
    </div>
  );
}

export function KeyState({ apiKey }: { readonly apiKey: ListedKeyFragment }): ReactNode {
  if (apiKey.revokedAt) return <Badge tone="bad">Revoked</Badge>;
  if (!apiKey.expiresAt) return <Badge tone="good">Active</Badge>;
  if (Date.parse(apiKey.expiresAt) <= Date.now()) return <Badge tone="bad">Expired</Badge>;
  if (!apiKey.expiresSoon) return <Badge tone="good">Active</Badge>;
  return (
    <Badge tone="warn">
      Expires <Time at={apiKey.expiresAt} as="relative" />
    </Badge>
  );
}

function limitsText({ limits, allowedModels, modelAliasCount }: ListedKeyFragment): string {
  const parts = [
    limits.requestsPerMinute && `${count(limits.requestsPerMinute)} requests/min`,
    limits.tokensPerMinute && `${count(limits.tokensPerMinute)} tokens/min`,
    limits.requestsPerDay && `${count(limits.requestsPerDay)} requests/day`,
    limits.concurrency && `${count(limits.concurrency)} concurrent`,
    ...limits.limitedModels.map((model) => `limits for ${model}`),
    ...limits.limitedCapabilities.map((capability) => `limits for ${words(capability).toLowerCase()}`),
  ].filter(Boolean);
  const [onlyModel, ...otherModels] = allowedModels ?? [];
  const models = otherModels.length > 0 ? `${otherModels.length + 1} allowed models` : onlyModel && `only ${onlyModel}`;
  const aliases = modelAliasCount > 0 && `${modelAliasCount} ${modelAliasCount === 1 ? 'alias' : 'aliases'}`;
  const limited = parts.length > 0 || models ? parts : ['Default'];
  return [...limited, models, aliases].filter(Boolean).join(', ');
}
