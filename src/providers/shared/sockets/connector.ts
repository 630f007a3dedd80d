import { buildConnector } from 'undici';
import { descriptors, noDescriptor } from '../../../descriptors/descriptors.ts';

/** A connector for addresses that the operator configured. It leaves the descriptors that are reserved. */
export function connector(timeoutMs: number): buildConnector.connector {
  const dial = buildConnector({ timeout: timeoutMs });
  return (destination, callback) => {
    if (descriptors.canDial) dial(destination, callback);
    else queueMicrotask(() => callback(noDescriptor(), null));
  };
}
