import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../', import.meta.url));
const moduleFolder = join(root, 'test/deploy');
const prometheusFolder = join(moduleFolder, 'prometheus');
const builtFolder = join(root, 'node_modules/.cache/sluice');
const helmPath = join(builtFolder, 'helm');
const prometheusCheckPath = join(builtFolder, 'prometheus-check');

/** Modules whose files tests read. */
const MODULES = {
  kubernetes: 'k8s.io/kubernetes@v1.34.2',
  compose: 'github.com/compose-spec/compose-go/v2@v2.16.2',
  prometheusOperator: 'github.com/prometheus-operator/prometheus-operator@v0.93.0',
} as const;

/** Whether Go is installed, which builds Helm and downloads schemas. */
export const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

const downloadSchema = z.object({ Dir: z.string() });

/** Downloads a module once. @returns its folder */
export function moduleOf(name: keyof typeof MODULES): string {
  const json = execFileSync('go', ['mod', 'download', '-json', MODULES[name]], {
    cwd: moduleFolder,
    encoding: 'utf8',
    // The module is none of the tool's.
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  });
  return downloadSchema.parse(JSON.parse(json)).Dir;
}

/** Builds Helm at the version of `test/deploy/go.mod`; from the build cache of Go this takes seconds. */
export function buildHelm(): void {
  mkdirSync(builtFolder, { recursive: true });
  // A build of Helm's own has the version of its Kubernetes libraries, in the same way.
  const version = (part: string, value: number): string =>
    `-X helm.sh/helm/v3/pkg/chartutil.k8sVersion${part}=${value}`;
  // Without symbols for debuggers it is linked in less time.
  const flags = ['-ldflags', `-s -w ${version('Major', 1)} ${version('Minor', 34)}`];
  const options = { cwd: moduleFolder, stdio: 'pipe' as const };
  execFileSync('go', ['build', ...flags, '-o', helmPath, 'helm.sh/helm/v3/cmd/helm'], options);
}

export function helm(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(helmPath, args, { cwd: root, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** Builds the check by the packages of Prometheus that promtool uses: half a minute once, then seconds. */
export function buildPrometheusCheck(): void {
  mkdirSync(builtFolder, { recursive: true });
  const options = { cwd: prometheusFolder, stdio: 'pipe' as const };
  execFileSync('go', ['build', '-ldflags', '-s -w', '-o', prometheusCheckPath, '.'], options);
}

/** @param input of `page` */
export function prometheusCheck(args: readonly string[], input = ''): ReturnType<typeof helm> {
  const { status, stdout, stderr } = spawnSync(prometheusCheckPath, args, { cwd: root, encoding: 'utf8', input });
  return { code: status, out: stdout, err: stderr };
}
