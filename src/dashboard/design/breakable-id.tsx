import { Fragment, type ReactNode } from 'react';

/** A model's ID, whose lines break after a slash, colon or hyphen rather than within a word. */
export function BreakableId({ id }: { readonly id: string }): ReactNode {
  const parts = id.split(/(?<=[/:_-])/);
  return parts.map((part, at) => (
    // The parts of an ID keep their places.
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>
      {at > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));
}
