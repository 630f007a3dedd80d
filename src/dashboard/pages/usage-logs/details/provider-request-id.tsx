import type { ReactNode } from 'react';

/** The provider's own ID of a request, which its support asks for. */
export function ProviderRequestId({ id }: { readonly id: string }): ReactNode {
  return <code className="wrap-anywhere">{id}</code>;
}
