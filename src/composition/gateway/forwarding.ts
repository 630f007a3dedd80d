import type { Environment } from '../../config/environment.ts';
import type { WiredProviders } from './providers.ts';
import { ForwardedMedia } from '../../outbound/forwarded-media.ts';
import { OutboundGuard } from '../../outbound/guard.ts';
import type { MediaFetcher } from '../../outbound/media-fetcher.ts';

/** Handles URLs in requests. The guard does not exclude this server, because they may be links to its own media. */
export function wireForwarding(
  { SLUICE_OUTBOUND_ALLOW }: Pick<Environment, 'SLUICE_OUTBOUND_ALLOW'>,
  providers: Pick<WiredProviders, 'current'>,
  fetcher: MediaFetcher,
): ForwardedMedia {
  const guard = new OutboundGuard(SLUICE_OUTBOUND_ALLOW);
  return new ForwardedMedia({ guard, fetcher, inlining: () => providers.current.inlining });
}
