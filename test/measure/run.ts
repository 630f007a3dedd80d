import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { requestPath } from './request-path.ts';
import { longest, sourceSize, type Sized } from './source-size.ts';

const help = `Usage: npm run measure -- [--files]

Measures the size of the source, and the way of a streamed chat request through the built server: the files and
functions that V8 counts, without packages, and without what runs anyway.

  --files   also lists each file of the way with its functions
  --help    prints this text
`;

const { values } = parseArgs({ options: { files: { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const LISTED = 3;
const { lines, files, functions } = sourceSize(fileURLToPath(new URL('../../src/', import.meta.url)));
const isDashboard = ({ name }: Sized): boolean => name.startsWith('dashboard/');
process.stdout.write(`Source: ${lines.toLocaleString('en')} lines in ${files.length} files, without generated ones\n`);
print('Longest files', longest(files, LISTED));
print('Longest files in gateway', longest(files, LISTED, 'gateway/'));
print('Longest files in protocols', longest(files, LISTED, 'protocols/'));
print(
  'Longest functions outside the dashboard',
  longest(
    functions.filter((each) => !isDashboard(each)),
    LISTED,
  ),
);
print('Longest functions in gateway', longest(functions, LISTED, 'gateway/'));
print('Longest functions in protocols', longest(functions, LISTED, 'protocols/'));
process.stdout.write('\nA streamed chat request runs …\n');
const path = await requestPath();
const count = path.reduce((sum, each) => sum + each.functions.length, 0);
process.stdout.write(`through ${path.length} files and ${count} functions\n`);
const sizes = new Map(files.map(({ name, lines: length }) => [name.replace(/\.tsx?$/, ''), length]));
print(
  'Its longest files',
  longest(
    path.map(({ file }) => ({ name: file, lines: sizes.get(file.replace(/\.js$/, '')) ?? 0 })),
    LISTED,
  ),
);
if (values.files)
  for (const { file, functions: called } of path) process.stdout.write(`${file}  ${called.join(', ')}\n`);

function print(title: string, sized: readonly Sized[]): void {
  process.stdout.write(`\n${title}\n`);
  for (const { name, lines: length } of sized) process.stdout.write(`  ${String(length).padStart(5)}  ${name}\n`);
}
