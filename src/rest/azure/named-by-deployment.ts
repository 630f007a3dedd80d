import { createHash } from 'node:crypto';
import type { RequestInput } from '../../gateway/request-input.ts';
import { withModel } from '../../gateway/capabilities/json-body.ts';

/** The input with the deployment as its model, whatever model it names itself. */
export function namedByDeployment(input: RequestInput, deployment: string | undefined): RequestInput {
  if (deployment === undefined) return input;
  if (Buffer.isBuffer(input)) return withModel(input, deployment);
  const { fields, textBytes, digest } = input;
  return {
    fields: { ...fields, model: deployment },
    textBytes,
    digest: digest && (() => createHash('sha256').update(digest()).update(deployment).digest()),
    release: () => input.release(),
  };
}
