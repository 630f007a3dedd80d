import { describe, expect, it } from 'vitest';
import { configReference } from '../../../src/cli/docs/config-reference.ts';
import { environmentReference } from '../../../src/cli/docs/environment-reference.ts';
import { errorReference } from '../../../src/cli/docs/error-reference.ts';
import { metricsReference } from '../../../src/cli/docs/metrics-reference.ts';
import { providerReference } from '../../../src/cli/docs/provider-reference.ts';
import { pageText } from '../../harness/docs.ts';

describe('the reference in the documentation', () => {
  // `npm run check` compares the help of the commands, which only the build has.
  it.each([
    ['docs/configuration.md', 'environment', environmentReference],
    ['docs/configuration.md', 'sluice.yaml', configReference],
    ['docs/api/errors.md', 'errors', errorReference],
    ['docs/operations/metrics.md', 'metrics', metricsReference],
    ['docs/provider-list.md', 'providers', providerReference],
  ])('in %s for %s is what the code says', (page, name, generate) => {
    expect(pageText(page)).toContain(`<!-- generated: ${name} -->\n${generate()}\n<!-- /generated -->`);
  });

  it('describes the labels of a metric', () => {
    expect(metricsReference()).toContain(
      '| `sluice_model_requests_total` | counter | `provider`, `model`, `route`, `code` |',
    );
  });
});
