import type { PriceUnit } from '../../data/price-unit.ts';
import { Badge, BetaBadge } from '../../design/badge.tsx';
import { BreakableId } from '../../design/breakable-id.tsx';
import { calendarDate, duration, short, words } from '../../design/format.ts';
import { Unit, type Column } from '../../design/rows.tsx';
import type { ModelRowFragment } from '../../generated/graphql.ts';
import { shortPolicyText } from './data-policy.tsx';
import { DeprecationBadge } from './deprecation.tsx';
import { inputPrice, outputPrice } from './prices.ts';

const MAX_SHOWN = 3;

export function modelColumns(
  marked: readonly string[],
  mark: (id: string, isMarked: boolean) => void,
  /** Median latency of the account's own requests in ms, by model: time to first token, or total time for models that do not stream. */
  measured: ReadonlyMap<string, number>,
  unit: PriceUnit,
  /** In place of the date of release: there is no room for both. */
  showsPolicy: boolean,
): readonly Column<ModelRowFragment>[] {
  return [
    {
      name: 'mark',
      title: <span className="sr-only">Compare</span>,
      width: '24px',
      cell: ({ id, name }) => (
        <input
          type="checkbox"
          aria-label={`Compare ${name}`}
          checked={marked.includes(id)}
          className="block size-2 cursor-pointer"
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => event.stopPropagation()}
          onChange={({ target }) => mark(id, target.checked)}
        />
      ),
    },
    {
      name: 'name',
      title: 'Model',
      width: 'minmax(0, 3fr)',
      cell: ({ id, name, capabilities, deprecation }) => (
        <>
          <span title={name} className="line-clamp-2 leading-[17px] whitespace-normal wrap-anywhere">
            {name} <BetaBadge capabilities={capabilities} />{' '}
            {deprecation ? <DeprecationBadge deprecation={deprecation} /> : null}
          </span>
          <span
            title={id}
            className="line-clamp-2 font-mono max-md:line-clamp-3 text-small leading-[14px] whitespace-normal wrap-anywhere text-soft"
          >
            <BreakableId id={id} />
          </span>
        </>
      ),
    },
    {
      name: 'can',
      title: 'Capabilities',
      width: 'minmax(0, 2fr)',
      wide: true,
      cell: ({ capabilities }) => (
        <span className="flex flex-wrap gap-x-0.5 gap-y-0.25" title={capabilities.map(words).join(', ')}>
          {capabilities.slice(0, MAX_SHOWN).map((each) => (
            <Badge key={each}>{words(each)}</Badge>
          ))}
          {capabilities.length > MAX_SHOWN ? <Badge>+{capabilities.length - MAX_SHOWN}</Badge> : null}
        </span>
      ),
    },
    {
      name: 'context',
      title: <Unit of="Context" unit="tokens" />,
      width: '72px',
      align: 'right',
      wide: true,
      cell: ({ contextWindow }) => (contextWindow == null ? '–' : short(contextWindow)),
    },
    {
      name: 'input',
      title: <Unit of="Input" unit={`USD / ${unit} tokens`} />,
      width: '112px',
      align: 'right',
      cell: ({ pricing }) => inputPrice(pricing, unit),
    },
    {
      name: 'output',
      title: <Unit of="Output" unit={`USD / ${unit} tokens`} />,
      width: '112px',
      align: 'right',
      wide: true,
      cell: ({ pricing }) => outputPrice(pricing, unit),
    },
    {
      name: 'measured',
      title: 'Your latency',
      width: '88px',
      align: 'right',
      wide: true,
      cell: ({ id }) => {
        const ms = measured.get(id);
        return ms === undefined ? <span className="text-soft">–</span> : duration(ms);
      },
    },
    showsPolicy ? policyColumn : releasedColumn,
  ];
}

const policyColumn: Column<ModelRowFragment> = {
  name: 'policy',
  title: 'Data policy',
  width: '128px',
  wide: true,
  cell: ({ region, dataPolicy }) => {
    const text = shortPolicyText(region, dataPolicy);
    return (
      <span title={text} className="line-clamp-3 text-small whitespace-normal text-soft">
        {text}
      </span>
    );
  },
};

const releasedColumn: Column<ModelRowFragment> = {
  name: 'released',
  title: 'Released',
  width: '92px',
  align: 'right',
  wide: true,
  cell: ({ releasedAt }) => <span className="text-soft">{releasedAt == null ? '–' : calendarDate(releasedAt)}</span>,
};
