import { DefaultReporter, type TestModule } from 'vitest/node';
import { missingTools } from './missing-tools.ts';

/** Vitest's own, which says before its summary what the machine lacks and what that leaves out. */
// Vitest loads a reporter by its path: it has to be the default export.
// oxlint-disable-next-line import/no-default-export
export default class LaneReporter extends DefaultReporter {
  override onTestRunEnd(...parameters: Parameters<DefaultReporter['onTestRunEnd']>): void {
    const [modules] = parameters;
    const lanes = new Set(modules.map((module: TestModule) => module.project.name));
    for (const { name, lacks, install, affects } of missingTools())
      if (affects.some((lane) => lanes.has(lane)))
        this.ctx.logger.log(`\n${name} is not installed: ${lacks}. To install it: ${install}`);
    super.onTestRunEnd(...parameters);
  }
}
