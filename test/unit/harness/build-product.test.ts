import { PassThrough } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { buildProduct } from '../../harness/build-product.ts';
import { smallCheckout } from '../../harness/small-checkout.ts';

const { folder, write, remove } = smallCheckout();
afterAll(remove);

it('prints a line when a build begins, and nothing where all is built', async () => {
  write('src/dashboard/generated/graphql.ts', '');
  const progress = new PassThrough().setEncoding('utf8');
  await buildProduct(folder, progress);
  expect(progress.read()).toBe('Building …\nBuilding the dashboard …\n');
  await buildProduct(folder, progress);
  expect(progress.read()).toBeNull();
});

it('fails with what the build printed', async () => {
  write('src/main.ts', 'const one: number = "two";');
  write('node_modules/typescript/bin/tsc', 'process.stderr.write("main.ts is wrong\\n"); process.exit(1);');
  const failure = /^The product could not be built:\nBuilding …\nmain\.ts is wrong\nThe command failed\./;
  await expect(buildProduct(folder, new PassThrough())).rejects.toThrow(failure);
});
