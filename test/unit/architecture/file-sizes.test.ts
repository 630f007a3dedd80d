import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sourceSize, type Sized } from '../../measure/source-size.ts';

const MAX_FILE_LINES = 200;
const MAX_FUNCTION_LINES = 80;
/** Of the gateway and the protocols. */
const MAX_PIPELINE_FUNCTION_LINES = 60;

describe('the source', () => {
  const { files, functions } = sourceSize(fileURLToPath(new URL('../../../src', import.meta.url)));
  const pipeline = files.filter(isOfPipeline);

  it(`has no file of more than ${MAX_FILE_LINES} lines in the gateway and the protocols`, () => {
    expect(pipeline.length).toBeGreaterThan(100);
    const longer = pipeline.filter(({ lines }) => lines > MAX_FILE_LINES).map(({ name }) => name);
    expect(longer).toEqual([]);
  });

  it('has no long function outside the dashboard', () => {
    expect(functions.length).toBeGreaterThan(1_000);
    const longer = functions.filter(
      (each) =>
        !each.name.startsWith('dashboard/') &&
        each.lines > (isOfPipeline(each) ? MAX_PIPELINE_FUNCTION_LINES : MAX_FUNCTION_LINES),
    );
    expect(longer).toEqual([]);
  });
});

function isOfPipeline({ name }: Sized): boolean {
  return /^(gateway|protocols)\//.test(name);
}
