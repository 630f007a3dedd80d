// Writes sbom.cdx.json (CycloneDX) of the packages that are installed in the working directory. From the lock file npm lists also
// those of development and of other platforms.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

// `--omit=dev` would also omit packages that both the server and development need.
const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const bom = JSON.parse(execFileSync('npm', ['sbom', ...options], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
const installed = new Set(
  Object.entries(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages)
    .filter(([path]) => path !== '' && existsSync(`${path}/package.json`))
    .map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
    ),
);
bom.components = bom.components.filter(({ name, version }) => installed.has(`${name}@${version}`));
const refs = new Set([bom.metadata.component, ...bom.components].map((component) => component['bom-ref']));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
bom.metadata.component.name = 'sluice';
// The same packages give the same layer.
delete bom.serialNumber;
delete bom.metadata.timestamp;
writeFileSync('sbom.cdx.json', JSON.stringify(bom));
