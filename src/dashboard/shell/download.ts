import { useViewer } from './viewer.ts';

/** Download URL of a file of the selected account: a link cannot send the account header. */
export function useDownload(): (path: string, params?: Readonly<Record<string, string | undefined>>) => string {
  const { currentAccount } = useViewer();
  return (path, params = {}) => {
    const query = new URLSearchParams({ account: currentAccount.id });
    for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
    return `${path}?${query.toString()}`;
  };
}
