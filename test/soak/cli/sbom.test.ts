import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const bomSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ purl: z.string() }) }),
  components: z.array(z.object({ purl: z.string(), version: z.string() })),
});

const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

describe('npm run sbom', () => {
  it('writes a CycloneDX file of every package, of the product, of its pages and of its tests', () => {
    execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, stdio: 'pipe' });
    const bom = bomSchema.parse(JSON.parse(readFileSync(`${root}sbom.cdx.json`, 'utf8')));
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));
    const listed = new Set(bom.components.map(({ purl }) => decodeURIComponent(purl)));
    const purls = (packages: Readonly<Record<string, string>>) =>
      Object.entries(packages).map(([name, version]) => `pkg:npm/${name}@${version}`);
    expect(bom.metadata.component.purl).toBe(`pkg:npm/sluice@${manifest.version}`);
    expect(purls(manifest.dependencies).filter((purl) => !listed.has(purl))).toEqual([]);
    expect(purls(manifest.devDependencies).filter((purl) => !listed.has(purl))).toEqual([]);
  });
});
