import { useEffect, type ReactNode } from 'react';
import { docsUrlOf } from '../docs-pages.ts';

/** A page with its header, which also sets the document title. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  const docs = docsUrlOf(window.location.pathname);
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-5 pt-4 pb-8 max-md:gap-3 max-md:px-2 max-md:pt-2">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="max-w-full flex-1 text-huge tracking-[-0.01em]">{title}</h1>
        {lead ? <div className="text-soft order-last w-full">{lead}</div> : null}
        {docs ? (
          <a className="text-soft text-small hover:underline" href={docs} target="_blank" rel="noreferrer">
            Docs
          </a>
        ) : null}
        {actions ? <div className="flex flex-wrap items-center gap-1">{actions}</div> : null}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  beside,
  children,
  className = '',
}: {
  readonly title: string;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}): ReactNode {
  return (
    <section aria-label={title} className={`flex min-w-0 flex-col gap-1.5 ${className}`}>
      <div className="flex min-h-4 items-center gap-2">
        <h2 className="flex-1 text-large">{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  );
}

/** Names with their values, one per line. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className="figures grid grid-cols-[minmax(96px,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
