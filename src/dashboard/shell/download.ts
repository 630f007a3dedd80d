import { useViewer } from './viewer.ts';

/** The address of a file of the account that one looks at: a link sends no header that would say which. */
export function useDownload(): (path: string, params?: Readonly<Record<string, string | undefined>>) => string {
  const { currentAccount } = useViewer();
  return (path, params = {}) => {
    const query = new URLSearchParams({ account: currentAccount.id });
    for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
    return `${path}?${query.toString()}`;
  };
}
