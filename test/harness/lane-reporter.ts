import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultReporter } from 'vitest/node';
import { missingTools } from './missing-tools.ts';

const tests = fileURLToPath(new URL('..', import.meta.url));

/** Vitest's own, which says before its summary what the machine lacks and what that leaves out. */
// Vitest loads a reporter by its path: it has to be the default export.
// oxlint-disable-next-line import/no-default-export
export default class LaneReporter extends DefaultReporter {
  override onTestRunEnd(...parameters: Parameters<DefaultReporter['onTestRunEnd']>): void {
    const [modules] = parameters;
    const files = modules.map(({ moduleId }) => relative(tests, moduleId));
    for (const { name, install, consequences } of missingTools(files))
      this.ctx.logger.log(`\n${name} is not installed: ${consequences.join('; ')}. To install it: ${install}`);
    super.onTestRunEnd(...parameters);
  }
}
