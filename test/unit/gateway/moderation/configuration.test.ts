import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { ModelRouter } from '../../../../src/gateway/routing/model-router.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import { createSandboxConnection } from '../../../../src/providers/sandbox/sandbox-connection.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';

describe('a moderation model that is not available', () => {
  it('is reported to the operator, with the configuration that names it', () => {
    const config = `routing: { moderation: { model: nobody/knows, action: block } }\nroutes:\n  safe: { targets: [sandbox/chat], moderation: { model: elsewhere/judge, action: annotate } }\n`;
    const router = new ModelRouter(new Catalogue());
    const connections = [createSandboxConnection({ tokensPerSecond: 0 })];
    router.use({ connections, ...readRoutes(parseConfig('sluice.yaml', config, {}), defaultTimeouts) });
    expect(router.unserved()).toEqual(['moderation of routing: nobody/knows', 'moderation of safe: elsewhere/judge']);
  });
});

describe('moderation in `sluice.yaml`', () => {
  it.each([
    ['an action that is none', '{ model: a/b, action: shout }'],
    ['nothing to check', '{ model: a/b, check: [], action: block }'],
    ['no model', '{ action: block }'],
    ['a member that is not known', '{ model: a/b, action: block, threshold: 1 }'],
  ])('with %s is rejected', (_what, moderation) => {
    expect(() => parseConfig('sluice.yaml', `routing:\n  moderation: ${moderation}\n`, {})).toThrow(
      /routing.moderation/,
    );
  });
});
