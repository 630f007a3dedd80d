import { serve } from '../../composition/serve.ts';
import { welcome } from '../../composition/welcome.ts';
import type { Configuration } from '../../config/configuration.ts';
import { collector } from '../../gateway/metrics/collector.ts';
import type { SupervisorLink } from '../../workers/supervisor-link.ts';
import { stopSignal } from './stop-signal.ts';
import { followLoad } from '../tune-memory.ts';

/**
 * Serves in this process until a signal arrives, or its supervisor is gone.
 * @param supervisor null where this process is no worker
 * @returns the exit code
 */
export async function serveProcess(configuration: Configuration, supervisor: SupervisorLink | null): Promise<number> {
  process.on('SIGHUP', () => configuration.reload());
  const server = await serve(configuration, supervisor);
  // Startup garbage is a tenth of the memory of an idle server, and V8 would not collect it for a long time.
  collector()({ type: 'major', flavor: 'last-resort' });
  const text = welcome(server.url, server.firstOwner, configuration.environment.SLUICE_SANDBOX);
  const followed = followLoad(() => server.openRequests);
  const signalled = stopSignal(() => process.exit(1));
  const gone = new Promise<'disconnect'>((resolve) => supervisor?.onSupervisorGone(() => resolve('disconnect')));
  if (supervisor === null) process.stdout.write(text);
  else supervisor.ready({ welcome: text });
  const lost = server.folderLost.then(() => 'folder lost' as const);
  const signal = await Promise.race([signalled, gone, lost]);
  server.log.info({ signal }, `draining: ${server.openRequests} requests open`);
  await server.stop();
  clearInterval(followed);
  return signal === 'folder lost' ? 1 : 0;
}
