import { join } from 'node:path';
import { compileEngine } from '../../../src/database/embedded/compile-engine.ts';
import { openEngine } from '../../../src/database/embedded/open-engine.ts';

/** A process of its own that has the embedded database parse SQL. */
const [folder = ''] = process.argv.slice(2);
const engine = await openEngine(join(folder, 'database'), await compileEngine());
const statement = `select 1 where 1 in (${Array.from({ length: 2_000 }, (_each, index) => index).join(', ')})`;
for (let count = 0; count < 300; count += 1) await engine.exec(statement);
await engine.close();
